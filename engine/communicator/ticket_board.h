// The tickets of ranks that are threads of one process, and the failure that ends the job for all
// of them: what their Communicators share, whatever carries the data.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "engine/communicator/over_tickets.h"

namespace quintet::engine {

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

  // As Communicator's.
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets, Patience patience);
  void abort(const Error& cause);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_ticket_ = 0;
  OverTickets over_;
  std::optional<Error> failure_;
};

}  // namespace quintet::engine
