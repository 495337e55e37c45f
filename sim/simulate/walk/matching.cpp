#include "sim/simulate/walk/matching.h"

#include <algorithm>
#include <utility>

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

Message& Mailboxes::post(std::int32_t receiver, const Send& send, int micro_batch, Instant now) {
  Message& message = at(receiver, {send.axis, send.offset, send.payload, micro_batch, send.chunk});
  message.number = next_++;
  message.since = now;
  return message;
}

std::optional<Waiting> Mailboxes::deliver(Message& message) const {
  message.arrived = true;
  std::optional<Waiting> receiver = message.receiver;
  if (receiver) receiver->flow = message.number;
  return receiver;
}

std::optional<std::int32_t> Mailboxes::await(const Waiting& self, const Receive& receive,
                                             int micro_batch) {
  Message& message =
      at(self.actor, {receive.axis, -receive.offset, receive.payload, micro_batch, receive.chunk});
  if (message.arrived) return message.number;
  message.receiver = self;
  return std::nullopt;
}

}  // namespace quintet
