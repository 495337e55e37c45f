// Lets a process run only a share of the time, by stopping and continuing it: a slow rank for
// tests. Its threads stop too, so heartbeats come late by up to a slice.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

class Brake {
 public:
  // `handle` (pidfd) outlives the brake; 0 < share < 1.
  Brake(const Descriptor& handle, double share);
  ~Brake();  // the process runs freely again
  Brake(const Brake&) = delete;

 private:
  void run();
  enum class Waited { through, stopped };
  Waited wait(double share_of_slice);

  const Descriptor& handle_;
  double share_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
