#include "sim/simulate/walk/matching.h"

#include <algorithm>
#include <utility>

#include "sim/base/digest.h"

namespace quintet {

bool Meetings::join(std::int32_t group, std::int32_t use, const Waiting& member, std::size_t size,
                    std::vector<Waiting>& members) {
  members.clear();
  if (size == 1) {
    members.push_back(member);
    return true;
  }
  std::vector<Meeting>& open = open_[static_cast<std::size_t>(group)];
  auto meeting = std::find_if(open.begin(), open.end(),
                              [use](const Meeting& each) { return each.use == use; });
  if (meeting == open.end()) meeting = open.insert(open.end(), {use, {}});
  meeting->members.push_back(member);
  if (meeting->members.size() < size) return false;
  members = std::move(meeting->members);
  open.erase(meeting);
  return true;
}

bool Meetings::is_open(std::int32_t group, std::int32_t use) const {
  const std::vector<Meeting>& open = open_[static_cast<std::size_t>(group)];
  return std::any_of(open.begin(), open.end(),
                     [use](const Meeting& each) { return each.use == use; });
}

std::uint64_t Meetings::state(const SeenWaiting& seen) const {
  std::uint64_t sum = 0;
  for (std::size_t group = 0; group < open_.size(); ++group)
    for (const Meeting& meeting : open_[group]) {
      std::uint64_t members = group;
      for (const Waiting& member : meeting.members) members += seen(member);
      sum += Digest{}.add(members).value();
    }
  return sum;
}

std::uint64_t Mailboxes::state(int micro_batch, Instant now, const SeenWaiting& seen) const {
  std::uint64_t sum = 0;
  for (std::size_t receiver = 0; receiver < messages_.size(); ++receiver)
    for (const auto& [key, message] : messages_[receiver]) {
      const auto& [axis, offset, payload, batch, chunk] = key;
      Digest digest;
      digest.add(receiver).add(static_cast<std::int32_t>(axis)).add(offset);
      digest.add(static_cast<std::int32_t>(payload)).add(batch - micro_batch).add(chunk);
      digest.add(message.arrived ? 1 : 0);
      if (message.number >= 0) digest.add(message.number - next_).add(message.since - now);
      if (message.receiver) digest.add(seen(*message.receiver));
      sum += digest.value();
    }
  return sum;
}

Message& Mailboxes::post(std::int32_t receiver, const Send& send, int micro_batch, Instant now) {
  const MessageKey key{send.axis, send.offset, send.payload, micro_batch, send.chunk};
  Message& message = box(receiver)[key];
  message.key = key;
  message.number = next_++;
  message.since = now;
  return message;
}

std::optional<Waiting> Mailboxes::deliver(Message& message) {
  message.arrived = true;
  std::optional<Waiting> receiver = message.receiver;
  if (!receiver) return std::nullopt;
  receiver->flow = message.number;
  const MessageKey key = message.key;
  box(receiver->actor).erase(key);
  return receiver;
}

std::optional<std::int32_t> Mailboxes::await(const Waiting& self, const Receive& receive,
                                             int micro_batch) {
  const MessageKey key{receive.axis, -receive.offset, receive.payload, micro_batch, receive.chunk};
  Message& message = box(self.actor)[key];
  if (message.arrived) {
    const std::int32_t number = message.number;
    box(self.actor).erase(key);
    return number;
  }
  message.receiver = self;
  return std::nullopt;
}

}  // namespace quintet
