#include "engine/network/routes/doorkeeper.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace quintet::engine {

namespace {

constexpr std::uint64_t door_id = 0;
constexpr int accepted_at_once = 32;

bool watch(const Descriptor& epoll, int descriptor, std::uint64_t id) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.u64 = id;
  return epoll_ctl(epoll.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

Result<std::unique_ptr<Doorkeeper>> Doorkeeper::open(const DoorkeeperOptions& options) {
  auto keeper = std::make_unique<Doorkeeper>();
  keeper->options_ = options;
  keeper->epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  for (const std::string& address : options.addresses) {
    Result<Descriptor> listening = listen_on({address, 0});
    if (!listening) return listening.error();
    const Result<SocketAddress> door = address_of(*listening);
    if (!door) return door.error();
    if (!watch(keeper->epoll_, listening->number(), door_id))
      return Error{door->text(), "cannot be watched: " + system_error(errno)};
    keeper->doors_.push_back(*door);
    keeper->listening_.push_back(*std::move(listening));
  }
  return keeper;
}

// In portions, so that who connects as fast as it is accepted does not keep the ranks waiting; what
// is left makes the descriptor readable again.
void Doorkeeper::accept_some(Clock::time_point now) {
  for (const Descriptor& door : listening_)
    for (int tried = 0; tried < accepted_at_once; ++tried) {
      Descriptor socket(accept4(door.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.open())
        greet(std::move(socket), now);
      else if ((errno == EMFILE || errno == ENFILE) && !strangers_.empty())
        strangers_.erase(strangers_.begin());
      else if (errno != ECONNABORTED && errno != EINTR)
        break;
    }
}

// A rank proves itself within a round trip; whoever has waited longest is the least likely to.
void Doorkeeper::greet(Descriptor socket, Clock::time_point now) {
  const Result<Nonce> asked = fresh_nonce();
  if (!asked) return;  // nobody can prove anything now; ranks try again
  if (strangers_.size() >= options_.most_strangers) strangers_.erase(strangers_.begin());
  const std::vector<std::byte> challenge = challenge_bytes(*asked);
  if (send(socket.number(), challenge.data(), challenge.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
          static_cast<ssize_t>(challenge.size()) ||
      !watch(epoll_, socket.number(), next_))
    return;
  strangers_.emplace(next_++, Stranger{std::move(socket), *asked, now, {}});
}

// No more is read than a rank would say: what comes behind it is left to the connection.
Doorkeeper::Heard Doorkeeper::hear(Stranger& stranger) const {
  std::array<std::byte, hello_size> buffer;
  while (stranger.said.size() < hello_size) {
    const ssize_t count = recv(stranger.socket.number(), buffer.data(),
                               hello_size - stranger.said.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Heard::not_all;
    if (count <= 0) return Heard::nonsense;
    stranger.said.insert(stranger.said.end(), buffer.begin(), buffer.begin() + count);
    if (!may_begin_hello(stranger.said)) return Heard::nonsense;
  }
  return Heard::all;
}

bool Doorkeeper::is_for_us(const RouteHello& hello) const {
  return hello.to == options_.rank && hello.world == options_.world &&
         hello.lane == options_.lane && hello.from < options_.world &&
         hello.from != options_.rank && hello.route < doors_.size();
}

std::vector<Doorkeeper::Guest> Doorkeeper::admit(
    Clock::time_point now, const std::function<std::uint64_t(std::uint32_t rank)>& last) {
  std::vector<Guest> guests;
  accept_some(now);
  for (auto each = strangers_.begin(); each != strangers_.end();) {
    Stranger& stranger = each->second;
    const Heard heard = hear(stranger);
    if (heard == Heard::not_all && now - stranger.since < options_.patience) {
      ++each;
      continue;
    }
    const auto known = heard == Heard::all
                           ? read_hello(options_.token, stranger.asked, stranger.said)
                           : std::nullopt;
    if (known && is_for_us(known->hello)) {
      const std::vector<std::byte> answer =
          answer_bytes(options_.token, *known, last(known->hello.from));
      if (send(stranger.socket.number(), answer.data(), answer.size(),
               MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(answer.size())) {
        epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, stranger.socket.number(), nullptr);
        guests.push_back({std::move(stranger.socket), known->hello});
      }
    }
    each = strangers_.erase(each);
  }
  return guests;
}

}  // namespace quintet::engine
