#include "engine/communication/delegate/split_backend.h"

#include <algorithm>
#include <thread>

namespace quintet::engine {

Ticket SplitBackend::keep(CommunicationBackend& of, Ticket ticket) {
  under_way_[++last_ticket_] = {&of, ticket};
  return {last_ticket_};
}

Ticket SplitBackend::start(const CollectiveCall& work) {
  return keep(collectives_, collectives_.start(work));
}

Ticket SplitBackend::send(const SendWork& work) {
  return keep(messages_, messages_.send(work));
}

Ticket SplitBackend::receive(const ReceiveWork& work) {
  return keep(messages_, messages_.receive(work));
}

// Also about none: some go on, or hear of failures, only when they are asked.
std::optional<Error> SplitBackend::ask(CommunicationBackend& which, std::span<const Ticket> tickets,
                                       std::vector<Completion>& found) {
  std::vector<Ticket> asked;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < tickets.size(); ++place) {
    const auto under_way = under_way_.find(tickets[place].number);
    if (under_way == under_way_.end() || under_way->second.of != &which) continue;
    asked.push_back(under_way->second.ticket);
    places.push_back(place);
  }
  const Result<std::vector<Completion>> over = which.finished(asked, Patience::none);
  if (!over) return over.error();
  for (const Completion& each : *over) {
    under_way_.erase(tickets[places[each.place]].number);
    found.push_back({places[each.place], each.moving, each.end});
  }
  return std::nullopt;
}

Result<std::vector<Completion>> SplitBackend::finished(std::span<const Ticket> tickets,
                                                       Patience patience) {
  constexpr std::chrono::microseconds nap{20};
  constexpr int eager_rounds = 200;
  for (int round = 0;; ++round) {
    std::vector<Completion> found;
    for (CommunicationBackend* const which : {&collectives_, &messages_})
      if (const auto wrong = ask(*which, tickets, found)) {
        (which == &collectives_ ? messages_ : collectives_).abort(*wrong);
        return *wrong;
      }
    std::sort(found.begin(), found.end(),
              [](const Completion& a, const Completion& b) { return a.place < b.place; });
    if (!found.empty() || patience == Patience::none) return found;
    if (round < eager_rounds)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(nap);
  }
}

void SplitBackend::abort(const Error& cause) {
  collectives_.abort(cause);
  messages_.abort(cause);
}

}  // namespace quintet::engine
