// What is waited for of many sockets, in one epoll.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

enum class Interest { reading, writing, both };

class RouteEvents {
 public:
  RouteEvents();

  bool usable() const { return epoll_.open(); }
  int descriptor() const { return epoll_.number(); }
  // Again with another interest: changes it. Before a descriptor is closed it has to be left.
  void watch(int descriptor, std::uint64_t owner, Interest interest);
  void leave(int descriptor);

  // The owners of what is ready; may name one twice.
  std::vector<std::uint64_t> ready() const;
  bool any_ready() const;

 private:
  Descriptor epoll_;
  std::unordered_map<int, Interest> watched_;
};

}  // namespace quintet::engine
