#include "engine/network/routes/outgoing_stream.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace quintet::engine {

namespace {

// Whoever sends so little goes on at once: it is copied. Up to largest_unasked it is copied when
// the kernel has taken it.
constexpr std::size_t copied_at_once = 16 * 1024;

}  // namespace

void OutgoingStream::add(std::uint64_t tag, std::span<const std::byte> bytes,
                         const Addressee& addressee) {
  const std::uint64_t id = ++last_message_;
  Message& message = messages_[id];
  message.tag = tag;
  message.bytes = bytes;
  message.addressee = addressee;
  ready_.push_back(id);
  if (bytes.size() <= copied_at_once) tell(message);
}

// Copied: the other side may not have it yet.
void OutgoingStream::tell(Message& message) {
  if (message.told) return;
  message.told = true;
  message.kept.assign(message.bytes.begin(), message.bytes.end());
  message.bytes = message.kept;
  over_.push_back(message.addressee);
}

bool OutgoingStream::cut() {
  if (ready_.empty() || held_) return false;
  const std::uint64_t id = ready_.front();
  ready_.pop_front();
  Message& message = messages_.at(id);
  RouteHead head{RouteFrame::segment,  0,          ++last_segment_, id, message.tag,
                 message.bytes.size(), message.cut};
  if (message.bytes.size() > largest_unasked && !message.offered) {
    head.kind = RouteFrame::offer;
    message.offered = true;
    log_.push_back(head);
    return true;
  }
  head.size =
      static_cast<std::uint32_t>(std::min(largest_segment, message.bytes.size() - message.cut));
  message.cut += head.size;
  if (message.cut < message.bytes.size())
    ready_.push_back(id);
  else
    message.last_segment = head.number;
  log_.push_back(head);
  return true;
}

// What was taken by the kernel is copied and over, unless it is so long that its sender waits until
// it has come.
void OutgoingStream::written(const RouteHead& head) {
  Message& message = messages_.at(head.message);
  if (head.number == message.last_segment && message.bytes.size() <= largest_unasked) tell(message);
}

OutgoingStream::Written OutgoingStream::write_to(int socket) {
  while (next_ < log_.size() || cut()) {
    const RouteHead& head = log_[next_];
    RouteHeadBytes bytes = bytes_of(head);
    std::array<iovec, 2> parts{};
    std::size_t count = 0;
    if (written_ < bytes.size())
      parts[count++] = {bytes.data() + written_, bytes.size() - written_};
    const std::size_t done = written_ < bytes.size() ? 0 : written_ - bytes.size();
    const std::byte* const source = messages_.at(head.message).bytes.data();
    if (head.size > done)
      parts[count++] = {const_cast<std::byte*>(source) + head.offset + done, head.size - done};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t size = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Written::some : Written::broken;
    written_ += static_cast<std::size_t>(size);
    if (written_ < bytes.size() + head.size) continue;
    written(head);
    ++next_;
    written_ = 0;
  }
  return Written::all;
}

bool OutgoingStream::wants_to_write() const {
  return next_ < log_.size() || (!ready_.empty() && !held_);
}

void OutgoingStream::drop_first() {
  const RouteHead head = log_.front();
  log_.pop_front();
  const auto found = messages_.find(head.message);
  if (found->second.last_segment != head.number) return;
  if (!found->second.told) over_.push_back(found->second.addressee);
  messages_.erase(found);
}

bool OutgoingStream::received(std::uint64_t number) {
  if (number > last_segment_) return false;
  while (!log_.empty() && log_.front().number <= number) {
    // It came by another connection; what has begun here goes on, and is acknowledged again.
    if (next_ == 0 && written_ > 0) return true;
    if (next_ > 0) --next_;
    drop_first();
  }
  return true;
}

bool OutgoingStream::resume(std::uint64_t number) {
  if (number > last_segment_) return false;
  while (!log_.empty() && log_.front().number <= number) drop_first();
  next_ = written_ = 0;
  return true;
}

bool OutgoingStream::wanted(std::uint64_t id) {
  const auto found = messages_.find(id);
  if (found == messages_.end()) return id <= last_message_;  // it has been asked for again
  Message& message = found->second;
  if (!message.offered) return false;
  if (!std::exchange(message.wanted, true)) ready_.push_back(id);
  return true;
}

std::size_t OutgoingStream::under_way() const {
  return static_cast<std::size_t>(std::count_if(messages_.begin(), messages_.end(),
                                                [](const auto& one) { return !one.second.told; }));
}

std::vector<Addressee> OutgoingStream::take_over() {
  return std::exchange(over_, {});
}

void OutgoingStream::forget() {
  messages_.clear();
  ready_.clear();
  log_.clear();
  over_.clear();
  next_ = written_ = 0;
}

}  // namespace quintet::engine
