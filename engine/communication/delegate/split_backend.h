// Collectives one way, messages another: a plan may delegate what goes between stages to the host
// and leave the rest to NCCL (HostNet::pipeline_delivery).
#pragma once

#include <map>

#include "engine/communication/communication_backend.h"

namespace quintet::engine {

class SplitBackend final : public CommunicationBackend {
 public:
  // Both must outlive it; a failure of one is told by it, and ends the other.
  SplitBackend(CommunicationBackend& collectives, CommunicationBackend& messages)
      : collectives_(collectives), messages_(messages) {}

  Ticket start(const CollectiveCall& work) override;
  Ticket send(const SendWork& work) override;
  Ticket receive(const ReceiveWork& work) override;
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override;
  void* take_memory(std::size_t bytes) override { return collectives_.take_memory(bytes); }
  void* take_shared_memory(std::size_t bytes, std::uint64_t layout) override {
    return collectives_.take_shared_memory(bytes, layout);
  }
  void give_back_memory(void* memory) override { collectives_.give_back_memory(memory); }
  void abort(const Error& cause) override;

 private:
  struct Asked {
    CommunicationBackend* of = nullptr;
    Ticket ticket;
  };

  Ticket keep(CommunicationBackend& of, Ticket ticket);
  std::optional<Error> ask(CommunicationBackend& which, std::span<const Ticket> tickets,
                           std::vector<Completion>& found);

  CommunicationBackend& collectives_;
  CommunicationBackend& messages_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Asked> under_way_;
};

}  // namespace quintet::engine
