#include "engine/network/transport/sleeper.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>

namespace quintet::engine {

Sleeper::Sleeper()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

bool Sleeper::watch(int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  return epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, descriptor, &event) == 0 ||
         epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

bool Sleeper::hears_wake() {
  return watch(wake_.number(), EPOLLIN);
}

void Sleeper::forget(int descriptor) {
  epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void Sleeper::wake() {
  if (!asleep_.exchange(false)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
}

void Sleeper::sleep(Milliseconds at_most) {
  std::array<epoll_event, 4> events;
  epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
             static_cast<int>(at_most.count()));
  asleep_ = false;
  std::uint64_t drained = 0;
  [[maybe_unused]] const ssize_t size = read(wake_.number(), &drained, sizeof drained);
}

}  // namespace quintet::engine
