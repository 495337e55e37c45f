// What happens between a fork and the program that is to run inside a space. System calls only:
// the program that forked may have threads.
#pragma once

#include <cstdint>

namespace quintet::engine {

struct EntryOrder {
  int space = -1;  // pidfd of the space's first process
  int flags = 0;   // which of its namespaces to enter (CLONE_NEW...)
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* folder = nullptr;  // to start in
  int input = -1, output = -1, error = -1;
  int report = -1;  // a pipe that closes when the program runs
};

struct EntryReport {
  // started: value is the process, as the forking one sees it; else value is errno.
  enum class Kind : std::int32_t { started, cannot_enter, cannot_fork, cannot_run } kind{};
  std::int32_t value = 0;
};

// The program becomes a sibling of the calling process, which exits: a process enters a process
// namespace only by being born in it.
[[noreturn]] void start_inside(const EntryOrder& order);

// Makes a socket there and sends it over `report`, which is a socket here.
[[noreturn]] void make_socket_inside(const EntryOrder& order, int domain, int type, int protocol);

}  // namespace quintet::engine
