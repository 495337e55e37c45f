#include "engine/emulated_cluster/running_hosts.h"

#include <sys/socket.h>

#include <thread>

#include "engine/launch/rendezvous/network_interface.h"

namespace quintet::engine {
namespace {

constexpr Milliseconds patience{20000}, look_every{2};

bool comes_up(const Descriptor& socket, const std::string& interface, Clock::time_point deadline) {
  while (!is_running(socket, interface)) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(look_every);
  }
  return true;
}

}  // namespace

std::optional<Error> wait_for_hosts(const ClusterLayout& layout, const Namespaces& namespaces) {
  const Clock::time_point deadline = Clock::now() + patience;
  for (const Cable& cable : layout.cables)
    for (const CableEnd& end : cable.ends) {
      const ClusterSpace& space = layout.spaces[end.space];
      if (!space.host.valid()) continue;
      const Result<Descriptor> socket =
          namespaces.socket_inside(end.space, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      if (!socket) return socket.error();
      if (!comes_up(*socket, end.device, deadline))
        return Error{"box: " + space.name, "its interface " + end.device + " has not come up"};
    }
  return std::nullopt;
}

}  // namespace quintet::engine
