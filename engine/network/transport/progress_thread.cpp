#include "engine/network/transport/progress_thread.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "engine/network/transport/prompt_thread.h"

namespace quintet::engine {

namespace {

constexpr Milliseconds look_every{5};      // at link and deadlines, while data flows
constexpr Milliseconds sleep_at_most{20};  // ... while something is under way

}  // namespace

ProgressThread::ProgressThread(const ProgressOptions& options) : options_(options) {}

ProgressThread::~ProgressThread() {
  if (thread_.joinable()) close(Clock::now());
}

std::optional<Error> ProgressThread::run(std::unique_ptr<Carrier> carrier,
                                         std::unique_ptr<RendezvousLink> link) {
  carrier_ = std::move(carrier);
  link_ = std::move(link);
  looked_ = Clock::now();
  if (!sleeper_.hears_wake() || !sleeper_.watch(carrier_->descriptor(), EPOLLIN) ||
      !sleeper_.watch(link_->descriptor(), EPOLLIN))
    return Error{"transport", "cannot watch its descriptors: " + system_error(errno)};
  thread_ = std::thread([this] { loop(); });
  return std::nullopt;
}

void ProgressThread::start(BackgroundWork& work, Clock::time_point deadline) {
  work.set_deadline(deadline);
  {
    const std::lock_guard lock(mutex_);
    orders_.started.push_back(&work);
  }
  sleeper_.wake();
}

void ProgressThread::abort(const std::string& cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!orders_.aborted) orders_.aborted = Failure{options_.rank, cause};
  }
  sleeper_.wake();
}

std::optional<Failure> ProgressThread::close(Clock::time_point deadline) {
  {
    const std::lock_guard lock(mutex_);
    orders_.close_until = deadline;
  }
  sleeper_.wake();
  thread_.join();
  return failure();
}

void ProgressThread::prefer(Rank to, std::size_t route) {
  {
    const std::lock_guard lock(mutex_);
    orders_.preferred.emplace_back(to, route);
  }
  sleeper_.wake();
}

void ProgressThread::suspect(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    orders_.suspected.push_back(failure);
  }
  sleeper_.wake();
}

void ProgressThread::late(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    orders_.late.push_back(failure);
  }
  sleeper_.wake();
}

void ProgressThread::rerouted(const std::string& what) {
  if (options_.on_rerouting) options_.on_rerouting(what);
}

std::optional<Failure> ProgressThread::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void ProgressThread::loop() {
  make_this_thread_prompt();
  Clock::time_point last_work = Clock::now();
  while (!over_) {
    const bool ordered = take_orders();
    const bool moving = carrier_->progress() == Carrier::Moved::something;
    const bool advanced = !failure_ && work_.advance(*this);
    const Clock::time_point now = Clock::now();
    if (now - looked_ >= look_every) look_after(now);
    if (moving || ordered || advanced)
      last_work = now;
    else if (now - last_work >= options_.spin)
      sleep();
  }
}

// True: there is work that was not here before.
bool ProgressThread::take_orders() {
  Orders orders;
  {
    const std::lock_guard lock(mutex_);
    std::swap(orders, orders_);
  }
  for (BackgroundWork* work : orders.started) {
    if (failure_)
      work_.end(*work, failure_);
    else
      work_.begin(*work);
  }
  for (const auto& [to, route] : orders.preferred) carrier_->prefer(to, route);
  for (const Failure& failure : orders.suspected) broke(failure);
  for (const Failure& failure : orders.late) waited_in_vain(failure);
  if (orders.aborted && !failure_) {
    link_->abort(*orders.aborted);
    wait_for_verdict(*orders.aborted);
  }
  if (orders.close_until) close_until_ = orders.close_until;
  return !orders.started.empty();
}

void ProgressThread::sleep() {
  sleeper_.lie_down();
  {
    const std::lock_guard lock(mutex_);
    if (orders_.any()) return sleeper_.get_up();
  }
  if (carrier_->arm() == Carrier::Armed::progress) return sleeper_.get_up();
  watch_link();
  const bool idle = work_.empty() && !own_verdict_ && !close_until_ && !carrier_->restless();
  sleeper_.sleep(idle ? link_->interval() : sleep_at_most);
  look_after(Clock::now());
}

// A link that has failed stays readable for ever.
void ProgressThread::watch_link() {
  if (link_->failure() || link_->everyone_left()) {
    sleeper_.forget(link_->descriptor());
    return;
  }
  sleeper_.watch(link_->descriptor(), link_->has_unsent() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void ProgressThread::look_after(Clock::time_point now) {
  looked_ = now;
  link_->advance(now);
  if (!failure_) {
    for (const Failure& late : work_.overdue(now)) waited_in_vain(late);
    if (link_->failure())
      fail(*link_->failure());
    else if (own_verdict_ && now >= own_verdict_at_)
      fail(*own_verdict_);
  }
  if (close_until_) try_to_leave(now);
}

void ProgressThread::waited_in_vain(const Failure& failure) {
  if (failure_) return;
  link_->late(failure);
  wait_for_verdict(failure);
}

void ProgressThread::wait_for_verdict(const Failure& failure) {
  if (own_verdict_) return;
  own_verdict_ = failure;
  own_verdict_at_ = Clock::now() + options_.verdict_within;
}

void ProgressThread::broke(const Failure& failure) {
  if (failure_ || own_verdict_ || leaving_ == Leaving::waiting) return;
  link_->suspect(failure);
  wait_for_verdict(failure);
}

// Everything under way ends with the same failure, once the carrier has let go of the buffers.
void ProgressThread::fail(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
  }
  if (!link_->failure()) link_->abort(failure);
  if (options_.on_failure) options_.on_failure(failure);
  carrier_->cancel_everything();
  constexpr Milliseconds patience{1000};
  const Clock::time_point until = Clock::now() + patience;
  while (carrier_->under_way() > 0 && Clock::now() < until) carrier_->progress();
  work_.end_all(failure);
}

void ProgressThread::try_to_leave(Clock::time_point now) {
  const bool late = now >= *close_until_;
  if (failure_ || link_->everyone_left()) {
    over_ = true;
    return;
  }
  if (late && !own_verdict_) {
    fail({Rank{}, "not all ranks had left in time"});
    over_ = true;
  }
  if (!work_.empty()) return;
  if (leaving_ == Leaving::no) leaving_ = Leaving::flushing;
  if (leaving_ == Leaving::flushing && carrier_->flush() == Carrier::Moved::nothing) {
    leaving_ = Leaving::waiting;
    link_->leave();
  }
}

void ProgressThread::send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                          std::uint32_t slot) {
  carrier_->send(to, tag, bytes, work, slot);
}

void ProgressThread::receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                             std::uint32_t slot) {
  carrier_->receive(from, tag, bytes, work, slot);
}

void ProgressThread::moved(BackgroundWork& work, std::uint32_t slot) {
  work.moved(slot);
  work_.touch(work);
}

}  // namespace quintet::engine
