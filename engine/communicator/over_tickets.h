// Tickets that are over, until they are asked about.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "engine/communicator/communicator.h"

namespace quintet::engine {

class OverTickets {
 public:
  void end(Ticket ticket, Clock::time_point moving, Clock::time_point end = Clock::now()) {
    over_[ticket.number] = {0, moving, end};
  }

  std::vector<Completion> take(std::span<const Ticket> tickets) {
    std::vector<Completion> found;
    for (std::size_t place = 0; place < tickets.size(); ++place) {
      const auto over = over_.find(tickets[place].number);
      if (over == over_.end()) continue;
      found.push_back({place, over->second.moving, over->second.end});
      over_.erase(over);
    }
    return found;
  }

 private:
  std::map<std::uint64_t, Completion> over_;
};

}  // namespace quintet::engine
