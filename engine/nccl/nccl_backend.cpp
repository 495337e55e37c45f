#include "engine/nccl/nccl_backend.h"

namespace quintet::engine {

Ticket NcclBackend::queued() {
  queued_[++last_ticket_] = Clock::now();
  return {last_ticket_};
}

Ticket NcclBackend::start(const CollectiveCall& work) {
  nccl_.start(work, work.stream);
  return queued();
}

Ticket NcclBackend::send(const SendWork& work) {
  nccl_.send(work.to, work.payload, work.message, work.stream);
  return queued();
}

Ticket NcclBackend::receive(const ReceiveWork& work) {
  nccl_.receive(work.from, work.payload, work.message, work.stream);
  return queued();
}

Result<std::vector<Completion>> NcclBackend::finished(std::span<const Ticket> tickets, Patience) {
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
