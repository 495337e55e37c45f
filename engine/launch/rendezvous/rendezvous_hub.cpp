#include "engine/launch/rendezvous/rendezvous_hub.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/launch/rendezvous/rendezvous_frames.h"

namespace quintet::engine {

namespace {

constexpr std::uint64_t listening_id = 0;
constexpr std::uint64_t stop_id = 1;
constexpr Milliseconds tick{50};
constexpr Milliseconds farewell{1000};
constexpr int accepted_at_once = 32;

void watch(const Descriptor& epoll, int descriptor, std::uint64_t id, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  if (epoll_ctl(epoll.number(), EPOLL_CTL_MOD, descriptor, &event) != 0)
    epoll_ctl(epoll.number(), EPOLL_CTL_ADD, descriptor, &event);
}

}  // namespace

RendezvousHub::RendezvousHub(const RendezvousOptions& options, std::vector<Descriptor> listening,
                             int stop)
    : options_(options),
      listening_(std::move(listening)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      next_id_(stop_id + 1),
      verdict_(options.grace),
      started_(Clock::now()),
      last_pulse_(started_) {
  // By edge, and again at every tick: a table of descriptors that is full must not make a busy
  // loop.
  for (const Descriptor& one : listening_)
    watch(epoll_, one.number(), listening_id, EPOLLIN | EPOLLET);
  watch(epoll_, stop, stop_id, EPOLLIN);
}

void RendezvousHub::run() {
  while (!stopping_) serve_ready();
  linger();
}

void RendezvousHub::serve_ready() {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
                               some_wait_ ? 0 : static_cast<int>(tick.count()));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
    if (id == stop_id) stopping_ = true;
    if (id > stop_id) serve(id);
  }
  accept_some();
  look_at_the_clock(Clock::now());
}

// In portions: whoever connects as fast as it is accepted must not keep the ranks waiting.
void RendezvousHub::accept_some() {
  some_wait_ = false;
  for (const Descriptor& listening : listening_) accept_at(listening);
}

void RendezvousHub::accept_at(const Descriptor& listening) {
  for (int tried = 0; tried < accepted_at_once; ++tried) {
    Descriptor socket(accept4(listening.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.open()) {
      greet(std::move(socket));
    } else if ((errno == EMFILE || errno == ENFILE) && !strangers_.empty()) {
      drop_oldest_stranger();
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return;
    }
  }
  some_wait_ = true;
}

// A rank proves itself within a round trip; whoever has waited longest is the least likely to.
void RendezvousHub::drop_oldest_stranger() {
  drop(*strangers_.begin(), "");
}

void RendezvousHub::greet(Descriptor socket) {
  const Result<Nonce> nonce = fresh_nonce();
  if (!nonce) return;  // nobody can prove anything now; ranks try again
  if (strangers_.size() >= options_.pending_limit) drop_oldest_stranger();
  const Clock::time_point now = Clock::now();
  const ConnectionId id = next_id_++;
  watch(epoll_, socket.number(), id, EPOLLIN | EPOLLRDHUP);
  constexpr std::size_t join_limit = 256;
  Visitor visitor{FrameConnection(std::move(socket), join_limit), *nonce, now, now, Rank{}};
  visitor.connection.send(FrameKind::challenge, *nonce);
  strangers_.insert(id);
  visitors_.emplace(id, std::move(visitor));
}

void RendezvousHub::serve(ConnectionId id) {
  const auto found = visitors_.find(id);
  if (found == visitors_.end()) return;
  Visitor& visitor = found->second;
  visitor.connection.flush();
  if (visitor.connection.read_some() == ConnectionState::closed)
    return drop(id, "its connection closed");
  Keep keep = Keep::yes;
  while (keep == Keep::yes) {
    const std::optional<Frame> frame = visitor.connection.next();
    if (!frame) break;
    visitor.heard = Clock::now();
    keep = handle(id, visitor, *frame);
  }
  if (keep == Keep::no || visitor.connection.broken()) return drop(id, "it broke the protocol");
  write_when_possible(id, visitor);
}

void RendezvousHub::write_when_possible(ConnectionId id, const Visitor& visitor) {
  const std::uint32_t writing = visitor.connection.has_unsent() ? EPOLLOUT : 0u;
  watch(epoll_, visitor.connection.descriptor(), id, EPOLLIN | EPOLLRDHUP | writing);
}

void RendezvousHub::drop(ConnectionId id, const std::string& cause) {
  const auto found = visitors_.find(id);
  if (found == visitors_.end()) return;
  const Rank rank = found->second.rank;
  strangers_.erase(id);
  visitors_.erase(found);
  if (rank.valid() && !members_[rank].left && !is_connected(rank)) verdict_.failed({rank, cause});
}

bool RendezvousHub::is_connected(Rank rank) const {
  return std::any_of(visitors_.begin(), visitors_.end(),
                     [&](const auto& entry) { return entry.second.rank == rank; });
}

void RendezvousHub::tell_everyone(FrameKind kind, std::span<const std::byte> body) {
  for (auto& [id, visitor] : visitors_) {
    if (!visitor.rank.valid()) continue;
    // The table of all ranks may be long: once is enough.
    if (kind == FrameKind::members && members_[visitor.rank].connection != id) continue;
    visitor.connection.send(kind, body);
    write_when_possible(id, visitor);
  }
}

// Whoever leaves reads what was said to it first; closing at once could take that away.
void RendezvousHub::linger() {
  listening_.clear();
  while (!strangers_.empty()) drop_oldest_stranger();
  for (auto& [id, visitor] : visitors_) visitor.connection.finish();
  const Clock::time_point until = Clock::now() + farewell;
  while (!visitors_.empty() && Clock::now() < until) {
    std::array<epoll_event, 64> events;
    const int count = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
                                 static_cast<int>(tick.count()));
    for (int i = 0; i < count; ++i) {
      const auto visitor = visitors_.find(events[static_cast<std::size_t>(i)].data.u64);
      if (visitor != visitors_.end() &&
          visitor->second.connection.read_some() == ConnectionState::closed)
        visitors_.erase(visitor);
    }
  }
}

}  // namespace quintet::engine
