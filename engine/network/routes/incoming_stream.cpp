#include "engine/network/routes/incoming_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quintet::engine {

namespace {

constexpr std::size_t acknowledged_at_least_every = 512 * 1024;
constexpr std::uint64_t first_own_message = std::uint64_t{1} << 63;

}  // namespace

IncomingStream::Message& IncomingStream::begin(std::uint64_t id, const RouteHead& head) {
  const auto [found, is_new] = messages_.try_emplace(id);
  Message& message = found->second;
  if (!is_new) return message;
  message.tag = head.tag;
  message.total = head.total;
  message.offered = head.kind == RouteFrame::offer;
  const auto asked = asked_.find(head.tag);
  if (asked == asked_.end()) {
    if (!message.offered) message.own.resize(message.total);
    waiting_[head.tag].push_back(id);
    return message;
  }
  const Asked first = asked->second.front();
  asked->second.pop_front();
  if (asked->second.empty()) asked_.erase(asked);
  match(id, message, first);
  if (!message.addressee && !message.offered) message.own.resize(message.total);  // a mismatch
  return message;
}

// Bytes that are on their way into the stream's own memory stay there until all have come.
void IncomingStream::match(std::uint64_t id, Message& message, const Asked& asked) {
  if (asked.bytes.size() != message.total) {
    mismatch_ = fmt::format("moving data failed: it sent {} bytes where {} were expected",
                            message.total, asked.bytes.size());
    return;
  }
  message.addressee = asked.addressee;
  message.target = asked.bytes;
  if (message.offered) asked_for_.push_back(id);
}

void IncomingStream::receive(std::uint64_t tag, std::span<std::byte> bytes,
                             const Addressee& addressee) {
  const auto waiting = waiting_.find(tag);
  if (waiting == waiting_.end()) {
    asked_[tag].push_back({bytes, addressee});
    return;
  }
  const std::uint64_t id = waiting->second.front();
  waiting->second.pop_front();
  if (waiting->second.empty()) waiting_.erase(waiting);
  Message& message = messages_.at(id);
  match(id, message, {bytes, addressee});
  if (message.addressee && message.whole()) finish(id);
}

void IncomingStream::arrive_whole(std::uint64_t tag, std::span<const std::byte> bytes) {
  const std::uint64_t id = first_own_message + own_messages_++;
  Message& message = begin(id, {RouteFrame::segment, 0, 0, id, tag, bytes.size(), 0});
  std::byte* const target = message.own.empty() ? message.target.data() : message.own.data();
  std::copy(bytes.begin(), bytes.end(), target);
  message.came = bytes.size();
  if (message.addressee) finish(id);
}

bool IncomingStream::fits(const RouteHead& head) const {
  switch (head.kind) {
    case RouteFrame::ping:
      return true;
    case RouteFrame::offer:
      return head.number <= last_ + 1;
    case RouteFrame::segment: {
      if (head.number != last_ + 1) return head.number <= last_;
      const auto found = messages_.find(head.message);
      if (found == messages_.end()) return head.offset == 0 && head.total <= largest_unasked;
      const Message& message = found->second;
      return message.total == head.total && message.came == head.offset &&
             (!message.offered || message.addressee);
    }
    case RouteFrame::received:
    case RouteFrame::wanted:
      return false;
  }
  return false;
}

std::byte* IncomingStream::place(const RouteHead& head, std::size_t got) {
  if (head.kind != RouteFrame::segment || head.number != last_ + 1) return nullptr;
  Message& message = begin(head.message, head);
  std::byte* const target = message.own.empty() ? message.target.data() : message.own.data();
  return target == nullptr ? nullptr : target + head.offset + got;
}

bool IncomingStream::arrived(const RouteHead& head) {
  if (!fits(head)) return false;
  if (head.kind == RouteFrame::ping) return true;
  if (head.number <= last_) return again_ = true;
  last_ = head.number;
  Message& message = begin(head.message, head);
  if (head.kind == RouteFrame::offer) return true;
  message.came += head.size;
  bytes_since_ += head.size;
  if (message.addressee && message.whole()) finish(head.message);
  return true;
}

void IncomingStream::finish(std::uint64_t id) {
  const auto found = messages_.find(id);
  Message& message = found->second;
  std::copy(message.own.begin(), message.own.end(), message.target.begin());
  over_.push_back(*message.addressee);
  // The sender of what was asked for waits to hear that it came.
  if (message.offered) bytes_since_ = acknowledged_at_least_every;
  messages_.erase(found);
}

std::vector<RouteHead> IncomingStream::acknowledge() {
  std::vector<RouteHead> heads;
  if (acknowledged_ != last_ || again_)
    heads.push_back({RouteFrame::received, 0, last_, 0, 0, 0, 0});
  for (const std::uint64_t id : asked_for_)
    heads.push_back({RouteFrame::wanted, 0, 0, id, 0, 0, 0});
  acknowledged_ = last_;
  again_ = false;
  asked_for_.clear();
  bytes_since_ = 0;
  return heads;
}

void IncomingStream::ask_again() {
  asked_for_.clear();
  for (const auto& [id, message] : messages_)
    if (message.offered && message.addressee) asked_for_.push_back(id);
}

bool IncomingStream::owes() const {
  return !asked_for_.empty() || bytes_since_ >= acknowledged_at_least_every;
}

std::size_t IncomingStream::under_way() const {
  std::size_t count = 0;
  for (const auto& [tag, asked] : asked_) count += asked.size();
  for (const auto& [id, message] : messages_) count += message.addressee ? 1u : 0u;
  return count;
}

std::vector<Addressee> IncomingStream::take_over() {
  return std::exchange(over_, {});
}

void IncomingStream::forget() {
  messages_.clear();
  asked_.clear();
  waiting_.clear();
  asked_for_.clear();
  over_.clear();
}

}  // namespace quintet::engine
