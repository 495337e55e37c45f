// Which messages a sender holds back. Inside the room only.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet {

// "host6-host7=60ms" both ways, "host2>host1=60ms" one way. The error says what is expected.
Result<std::vector<HeldSend>> held_sends(const Topology& topology, const std::string& given);

}  // namespace quintet
