#include "traces/astra_sim/traffic.h"

#include <utility>

namespace quintet {

Traffic::Traffic(EventQueue& events, const AstraNetwork& network, AstraBackend backend)
    : events_(events),
      wires_(events, network, backend, [this](const AstraMessage& message) { come(message); }) {}

void Traffic::tell(std::function<void(int rank, int task)> sent,
                   std::function<void(Receiver)> received) {
  sent_ = std::move(sent);
  received_ = std::move(received);
}

void Traffic::receive(const MessageKey& key, Receiver receiver) {
  if (!mailbox_.take(key, receiver)) return;
  events_.at(events_.now(), [this, receiver] { received_(receiver); });
}

void Traffic::come(const AstraMessage& message) {
  if (message.sender >= 0) sent_(message.from, message.sender);
  const auto receiver = mailbox_.put({message.tag, message.size, message.from, message.to});
  if (receiver) received_(*receiver);
}

}  // namespace quintet
