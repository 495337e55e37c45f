// Which of this host's network interfaces a rank binds to.
#pragma once

#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct NetworkInterface {
  std::string name;     // as `ip link` calls it
  std::string address;  // a literal
  bool operator==(const NetworkInterface&) const = default;
};

// `wanted`: an address of this host ("127.0.0.1"), an interface ("eth1"), or a network
// ("10.1.0.0/16") that one of its addresses is in. The error lists what there is.
Result<NetworkInterface> find_interface(const std::string& wanted);

// Several of them, with commas between: "10.1.0.3,10.2.0.3". The first is the one that is
// preferred.
Result<std::vector<NetworkInterface>> find_interfaces(const std::string& wanted);

// Up, with the other end up, and the kernel has noticed: some milliseconds after it came about, or
// a second. UCX leaves out what does not run. Looked up in the network of the socket, of any kind.
bool is_running(const Descriptor& socket, const std::string& interface);

}  // namespace quintet::engine
