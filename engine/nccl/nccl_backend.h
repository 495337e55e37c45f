// NCCL where the executor wants a CommunicationBackend: everything is over as soon as it is on the
// stream, since NCCL's streams wait for the other ranks themselves.
#pragma once

#include <map>

#include "engine/nccl/nccl_communicator.h"

namespace quintet::engine {

class NcclBackend final : public CommunicationBackend {
 public:
  // `nccl` must outlive it.
  explicit NcclBackend(NcclCommunicator& nccl) : nccl_(nccl) {}

  // NCCL matches messages of one payload between two ranks in the order of the calls, and knows no
  // tags: order_problem() (message_routes.h) finds programs for which that would go wrong.
  Ticket start(const CollectiveCall& work) override;
  Ticket send(const SendWork& work) override;
  Ticket receive(const ReceiveWork& work) override;

  // Never waits. Times are the host's, when the work was queued. Also to be asked, about no ticket,
  // while the host waits for the device: of ranks that fail it hears only here, and what waits for
  // them on a stream ends only then (Workplace::watch).
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override;
  bool queues_all() const override { return true; }
  void* take_memory(std::size_t bytes) override { return nccl_.take_memory(bytes); }
  void* take_shared_memory(std::size_t bytes, std::uint64_t layout) override {
    return nccl_.take_shared_memory(bytes, layout);
  }
  void give_back_memory(void* memory) override { nccl_.give_back_memory(memory); }
  void abort(const Error& cause) override { nccl_.abort(cause); }

 private:
  Ticket queued();

  NcclCommunicator& nccl_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Clock::time_point> queued_;  // by ticket, until asked about
};

}  // namespace quintet::engine
