// The tickets of ranks that are threads of one process, and the failure that ends the job for all
// of them: what their Communicators share, whatever carries the data.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Tickets that are over, until they are asked about.
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

class TicketBoard {
 public:
  // Calls begun(ticket) under the board's lock, so that what all ranks share needs no lock of its
  // own; not after a failure: the buffers of others may be gone.
  template <class Begun>
  Ticket begin(Begun begun) {
    const std::lock_guard lock(mutex_);
    const Ticket ticket{++last_ticket_};
    if (!failure_) begun(ticket);
    return ticket;
  }

  // These two only from within what begin() calls: the lock is held. The first failure stays.
  void end(Ticket ticket, Clock::time_point moving, Clock::time_point end);
  void fail(const Error& cause);

  // As CommunicationBackend's.
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets, Patience patience);
  void abort(const Error& cause);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_ticket_ = 0;
  OverTickets over_;
  std::optional<Error> failure_;
};

// "rank 3: ..." in front, unless a rank is named there already.
inline Error blamed_on(Rank rank, const Error& cause) {
  if (cause.where.starts_with("rank ")) return cause;
  return {"rank " + std::to_string(rank.value), cause.text()};
}

}  // namespace quintet::engine
