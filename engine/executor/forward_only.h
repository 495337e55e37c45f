// Forward of one micro-batch beside the steps, on every rank of the program's layout. It works on
// the same weights as the step does, and changes none of them.
#pragma once

#include "engine/communication/communication_backend.h"
#include "sim/program/forward_only.h"

namespace quintet::engine {

// Hands on to the step's own backend. Uses of communicators are numbered far from the step's, which
// are counted from the first step on (collective_call.h): no use has two meanings.
class ForwardBackend final : public CommunicationBackend {
 public:
  explicit ForwardBackend(CommunicationBackend& steps) : steps_(steps) {}

  Ticket start(const CollectiveCall& call) override;
  Ticket send(const SendWork& work) override { return steps_.send(work); }
  Ticket receive(const ReceiveWork& work) override { return steps_.receive(work); }
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override {
    return steps_.finished(tickets, patience);
  }
  void abort(const Error& cause) override { steps_.abort(cause); }

 private:
  CommunicationBackend& steps_;
};

}  // namespace quintet::engine
