// Messages and who waits for them, together: what ASTRA-sim calls the network's front end.
#pragma once

#include <cstdint>
#include <functional>

#include "traces/astra_sim/mailbox.h"
#include "traces/astra_sim/wires.h"

namespace quintet {

class Traffic {
 public:
  // Outlive this: all but the functions.
  Traffic(EventQueue& events, const AstraNetwork& network, AstraBackend backend);
  // Before the first message: what happens when the message of a sender has come, and when that
  // which a receiver waits for has.
  void tell(std::function<void(int rank, int task)> sent, std::function<void(Receiver)> received);

  void send(const AstraMessage& message) { wires_.send(message); }
  // The receiver is told at once, but after all that already happens at this instant, where the
  // message is there.
  void receive(const MessageKey& key, Receiver receiver);

  std::int64_t messages() const { return wires_.sent(); }
  const Mailbox& mailbox() const { return mailbox_; }

 private:
  void come(const AstraMessage& message);

  EventQueue& events_;
  Mailbox mailbox_;
  Wires wires_;
  std::function<void(int, int)> sent_;
  std::function<void(Receiver)> received_;
};

}  // namespace quintet
