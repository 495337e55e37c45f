#include "engine/emulated_cluster/brake.h"

#include <chrono>
#include <csignal>

#include "engine/launch/process.h"

namespace quintet::engine {

namespace {
constexpr std::chrono::duration<double> slice = std::chrono::milliseconds(10);
}

Brake::Brake(const Descriptor& handle, double share)
    : handle_(handle), share_(share), thread_([this] { run(); }) {}

Brake::~Brake() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Brake::Waited Brake::wait(double share_of_slice) {
  std::unique_lock lock(mutex_);
  const bool stopped = changed_.wait_for(lock, slice * share_of_slice, [this] { return stopped_; });
  return stopped ? Waited::stopped : Waited::through;
}

void Brake::run() {
  Waited waited = Waited::through;
  while (waited == Waited::through) {
    signal_to(handle_, SIGSTOP);
    waited = wait(1 - share_);
    signal_to(handle_, SIGCONT);
    if (waited == Waited::through) waited = wait(share_);
  }
}

}  // namespace quintet::engine
