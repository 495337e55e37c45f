// Which of this host's network interfaces a rank binds to.
#pragma once

#include <string>

#include "sim/result.h"

namespace quintet::engine {

struct NetworkInterface {
  std::string name;     // as `ip link` calls it
  std::string address;  // a literal
  bool operator==(const NetworkInterface&) const = default;
};

// `wanted`: an address of this host ("127.0.0.1"), an interface ("eth1"), or a network
// ("10.1.0.0/16") that one of its addresses is in. The error lists what there is.
Result<NetworkInterface> find_interface(const std::string& wanted);

}  // namespace quintet::engine
