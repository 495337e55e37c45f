#include "engine/communication/ticket_board.h"

namespace quintet::engine {

void TicketBoard::end(Ticket ticket, Clock::time_point moving, Clock::time_point end) {
  over_.end(ticket, moving, end);
  changed_.notify_all();
}

void TicketBoard::fail(const Error& cause) {
  if (!failure_) failure_ = cause;
  changed_.notify_all();
}

Result<std::vector<Completion>> TicketBoard::finished(std::span<const Ticket> tickets,
                                                      Patience patience) {
  std::unique_lock lock(mutex_);
  std::vector<Completion> found;
  const auto look = [&] {
    found = over_.take(tickets);
    return failure_.has_value() || !found.empty();
  };
  if (!look() && patience == Patience::until_one_is_over) changed_.wait(lock, look);
  if (failure_) return *failure_;
  return found;
}

void TicketBoard::abort(const Error& cause) {
  const std::lock_guard lock(mutex_);
  fail(cause);
}

}  // namespace quintet::engine
