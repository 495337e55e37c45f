#include "engine/network/routes/route_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace quintet::engine {

namespace {

constexpr std::size_t staging = 16 * 1024;
constexpr std::size_t read_at_once = 1024 * 1024;
// What waits in the kernel cannot be overtaken, nor taken to another route.
constexpr int unsent_in_kernel = 256 * 1024;

}  // namespace

RouteConnection::RouteConnection(Descriptor socket) : socket_(std::move(socket)), staged_(staging) {
  const int on = 1;
  setsockopt(descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_in_kernel,
             sizeof unsent_in_kernel);
}

// Counts the staged bytes that belong to the head. False: it cannot be.
bool RouteConnection::take_staged(RouteListener& listener) {
  const std::size_t size = std::min(head_->size - got_, past_ - first_);
  if (size > 0)
    if (std::byte* const target = listener.place(*head_, got_))
      std::memcpy(target, staged_.data() + first_, size);
  first_ += size;
  got_ += size;
  if (got_ < head_->size) return true;
  const RouteHead whole = *head_;
  head_ = std::nullopt;
  return listener.arrived(whole);
}

RouteConnection::Parsed RouteConnection::parse(RouteListener& listener) {
  while (true) {
    if (head_) {
      if (!take_staged(listener)) return Parsed::nonsense;
      if (head_) break;
    }
    if (past_ - first_ < route_head_size) break;
    head_ = read_head(
        std::span<const std::byte, route_head_size>(staged_.data() + first_, route_head_size));
    if (!head_ || !listener.fits(*head_)) return Parsed::nonsense;
    first_ += route_head_size;
    got_ = 0;
  }
  std::copy(staged_.begin() + static_cast<std::ptrdiff_t>(first_),
            staged_.begin() + static_cast<std::ptrdiff_t>(past_), staged_.begin());
  past_ -= first_;
  first_ = 0;
  return Parsed::all;
}

// The rest of a segment goes straight to its place, and what is behind it is staged. Each time the
// place is asked for anew: another connection may have brought the segment meanwhile.
RouteConnection::Heard RouteConnection::read(RouteListener& listener) {
  std::size_t all = 0;
  while (all < read_at_once) {
    std::array<iovec, 2> parts{};
    std::size_t count = 0;
    std::vector<std::byte> nowhere;
    const std::size_t rest = head_ ? head_->size - got_ : 0;
    if (rest > 0) {
      std::byte* target = listener.place(*head_, got_);
      if (target == nullptr) {
        nowhere.resize(rest);
        target = nowhere.data();
      }
      parts[count++] = {target, rest};
    }
    parts[count++] = {staged_.data() + past_, staged_.size() - past_};
    const ssize_t size = readv(descriptor(), parts.data(), static_cast<int>(count));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return all > 0 ? Heard::something : Heard::nothing;
    if (size <= 0) {
      end_ = size == 0 ? "it was closed there" : system_error(errno);
      return Heard::closed;
    }
    const std::size_t came = static_cast<std::size_t>(size);
    all += came;
    got_ += std::min(came, rest);
    past_ += came - std::min(came, rest);
    if (parse(listener) == Parsed::nonsense) return Heard::nonsense;
  }
  return Heard::something;
}

void RouteConnection::say(std::span<const RouteHead> heads) {
  for (const RouteHead& head : heads) {
    const RouteHeadBytes bytes = bytes_of(head);
    unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
  }
}

bool RouteConnection::flush() {
  while (!unsent_.empty()) {
    const ssize_t size =
        send(descriptor(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    unsent_.erase(unsent_.begin(), unsent_.begin() + size);
  }
  return true;
}

void RouteConnection::reset() {
  const linger at_once{1, 0};
  setsockopt(descriptor(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_ = Descriptor();
}

}  // namespace quintet::engine
