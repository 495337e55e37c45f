#include "engine/network/routes/route_events.h"

#include <poll.h>
#include <sys/epoll.h>

#include <array>

namespace quintet::engine {

namespace {

std::uint32_t events_of(Interest interest) {
  switch (interest) {
    case Interest::reading:
      return EPOLLIN;
    case Interest::writing:
      return EPOLLOUT;
    case Interest::both:
      return EPOLLIN | EPOLLOUT;
  }
  return 0;
}

}  // namespace

RouteEvents::RouteEvents() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

void RouteEvents::watch(int descriptor, std::uint64_t owner, Interest interest) {
  const auto known = watched_.find(descriptor);
  if (known != watched_.end() && known->second == interest) return;
  epoll_event event{};
  event.events = events_of(interest);
  event.data.u64 = owner;
  const int how = known == watched_.end() ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_.number(), how, descriptor, &event) == 0) watched_[descriptor] = interest;
}

void RouteEvents::leave(int descriptor) {
  if (watched_.erase(descriptor) == 0) return;
  epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
}

std::vector<std::uint64_t> RouteEvents::ready() const {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<std::uint64_t> owners;
  for (int i = 0; i < count; ++i) owners.push_back(events[static_cast<std::size_t>(i)].data.u64);
  return owners;
}

bool RouteEvents::any_ready() const {
  pollfd one{descriptor(), POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

}  // namespace quintet::engine
