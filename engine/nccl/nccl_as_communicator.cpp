#include "engine/nccl/nccl_as_communicator.h"

namespace quintet::engine {

Ticket NcclAsCommunicator::queued() {
  queued_[++last_ticket_] = Clock::now();
  return {last_ticket_};
}

Ticket NcclAsCommunicator::start(const CollectiveCall& work) {
  nccl_.start(work, work.stream);
  return queued();
}

Ticket NcclAsCommunicator::send(const SendWork& work) {
  nccl_.send(work.to, work.payload, work.message, work.stream);
  return queued();
}

Ticket NcclAsCommunicator::receive(const ReceiveWork& work) {
  nccl_.receive(work.from, work.payload, work.message, work.stream);
  return queued();
}

Result<std::vector<Completion>> NcclAsCommunicator::finished(std::span<const Ticket> tickets,
                                                             Patience) {
  if (const auto failure = nccl_.poll()) return *failure;
  std::vector<Completion> over;
  for (std::size_t place = 0; place < tickets.size(); ++place) {
    const auto found = queued_.find(tickets[place].number);
    if (found == queued_.end()) continue;
    over.push_back({place, found->second, found->second});
    queued_.erase(found);
  }
  return over;
}

}  // namespace quintet::engine
