// Which part of a machine a name means. Inside the room only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet {

// One of three: a device, a host, or cables between two devices.
struct NamedPart {
  std::string name;
  DeviceId device;            // none: not a device
  HostId host;                // none: not a host
  std::vector<LinkId> wires;  // the even link of each; empty: not cables
};

// The error says what is called alike, or what a device is joined to.
Result<NamedPart> named_part(const Topology& topology, std::string_view name);

}  // namespace quintet
