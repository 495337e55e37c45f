#include "sim/simulate/walk/matching.h"

#include <utility>

namespace quintet {

std::vector<Waiting> Meetings::join(std::int32_t group, std::int32_t use, const Waiting& member,
                                    std::size_t size) {
  auto& uses = arrived_[static_cast<std::size_t>(group)];
  if (uses.size() <= static_cast<std::size_t>(use)) uses.resize(static_cast<std::size_t>(use) + 1);
  std::vector<Waiting>& members = uses[static_cast<std::size_t>(use)];
  members.push_back(member);
  if (members.size() < size) return {};
  return std::move(members);
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
