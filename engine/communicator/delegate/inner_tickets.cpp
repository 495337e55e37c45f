#include "engine/communicator/delegate/inner_tickets.h"

namespace quintet::engine {

Ticket InnerTickets::add(Ticket ticket) {
  under_way_.push_back(ticket);
  return ticket;
}

std::optional<Error> InnerTickets::ask(Patience patience) {
  const Result<std::vector<Completion>> ended = inner_.finished(under_way_, patience);
  if (!ended) return ended.error();
  for (const Completion& each : *ended) over_[under_way_[each.place].number] = each;
  std::erase_if(under_way_, [&](Ticket ticket) { return over_.contains(ticket.number); });
  return std::nullopt;
}

std::optional<Completion> InnerTickets::take(Ticket ticket) {
  const auto found = over_.find(ticket.number);
  if (found == over_.end()) return std::nullopt;
  const Completion completion = found->second;
  over_.erase(found);
  return completion;
}

}  // namespace quintet::engine
