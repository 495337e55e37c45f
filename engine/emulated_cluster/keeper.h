// The process that holds the emulated cluster's namespaces, forked from its owner and never another
// program: it only makes system calls, so it may be forked from a program with threads. It ends
// when its socket closes, that is with the owner however that ends; being the first of a process
// namespace, it takes with it whatever runs inside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quintet::engine {

enum class SpaceKind {
  host,     // network, processes, shared memory, host name, mounts
  network,  // network only
};

struct SpaceRequest {
  std::string name;
  SpaceKind kind = SpaceKind::host;
};

enum class KeeperStep : std::int32_t {
  ready,      // the space exists
  separate,   // leaving the owner's namespaces
  map_users,  // uid_map and gid_map
  detach_mounts,
  make_space,
  mount_proc,
  mount_sys,
  mount_shared_memory,
  name_host,
  set_network,  // /proc/sys/net
};

enum class UserNamespace : std::int32_t {
  ours,
  owned
};  // ours: the owner's, who may do everything

// What the keeper and the first process of each space tell the owner.
struct KeeperReport {
  KeeperStep step = KeeperStep::ready;
  std::int32_t space = -1;
  std::int32_t error = 0;
  UserNamespace users = UserNamespace::ours;
};

// Called in the fork; `socket` is a SOCK_SEQPACKET pair's end. Every space reports once (the
// sender's credentials tell its process), or the first failure is reported.
[[noreturn]] void keep_namespaces(int socket, const std::vector<SpaceRequest>& spaces);

}  // namespace quintet::engine
