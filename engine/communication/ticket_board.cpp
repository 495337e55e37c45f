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

void TicketBoard::run_shares(std::unique_lock<std::mutex>& lock, const NextShare& next) {
  while (next && !failure_) {
    const std::optional<OwnShare> share = next();
    if (!share) return;
    ++running_;
    lock.unlock();
    share->run();
    lock.lock();
    --running_;
    share->done();
    changed_.notify_all();
  }
}

void TicketBoard::wait_for_shares(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return running_ == 0; });
}

Result<std::vector<Completion>> TicketBoard::finished(std::span<const Ticket> tickets,
                                                      Patience patience, const NextShare& next) {
  std::unique_lock lock(mutex_);
  while (true) {
    run_shares(lock, next);
    if (failure_) {
      wait_for_shares(lock);
      return *failure_;
    }
    std::vector<Completion> found = over_.take(tickets);
    if (!found.empty() || patience == Patience::none) return found;
    changed_.wait(lock);
  }
}

void TicketBoard::abort(const Error& cause) {
  std::unique_lock lock(mutex_);
  fail(cause);
  wait_for_shares(lock);
}

}  // namespace quintet::engine
