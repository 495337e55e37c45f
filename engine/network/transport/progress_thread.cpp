#include "engine/network/transport/progress_thread.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "engine/network/transport/prompt_thread.h"

namespace quintet::engine {

namespace {

constexpr Milliseconds look_every{5};      // at link and deadlines, while data flows
constexpr Milliseconds sleep_at_most{20};  // ... while something is under way

bool watch(const Descriptor& epoll, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  return epoll_ctl(epoll.number(), EPOLL_CTL_MOD, descriptor, &event) == 0 ||
         epoll_ctl(epoll.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

ProgressThread::ProgressThread(const ProgressOptions& options)
    : options_(options),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

ProgressThread::~ProgressThread() {
  if (thread_.joinable()) close(Clock::now());
}

std::optional<Error> ProgressThread::run(std::unique_ptr<Carrier> carrier,
                                         std::unique_ptr<RendezvousLink> link) {
  carrier_ = std::move(carrier);
  link_ = std::move(link);
  looked_ = Clock::now();
  if (!watch(epoll_, wake_.number(), EPOLLIN) || !watch(epoll_, carrier_->descriptor(), EPOLLIN) ||
      !watch(epoll_, link_->descriptor(), EPOLLIN))
    return Error{"transport", "cannot watch its descriptors: " + system_error(errno)};
  thread_ = std::thread([this] { loop(); });
  return std::nullopt;
}

void ProgressThread::start(BackgroundWork& work, Clock::time_point deadline) {
  work.deadline_ = deadline;
  {
    const std::lock_guard lock(mutex_);
    orders_.started.push_back(&work);
  }
  wake();
}

void ProgressThread::abort(const std::string& cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!orders_.aborted) orders_.aborted = Failure{options_.rank, cause};
  }
  wake();
}

std::optional<Failure> ProgressThread::close(Clock::time_point deadline) {
  {
    const std::lock_guard lock(mutex_);
    orders_.close_until = deadline;
  }
  wake();
  thread_.join();
  return failure();
}

void ProgressThread::prefer(Rank to, std::size_t route) {
  {
    const std::lock_guard lock(mutex_);
    orders_.preferred.emplace_back(to, route);
  }
  wake();
}

void ProgressThread::suspect(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    orders_.suspected.push_back(failure);
  }
  wake();
}

void ProgressThread::late(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    orders_.late.push_back(failure);
  }
  wake();
}

void ProgressThread::rerouted(const std::string& what) {
  if (options_.on_rerouting) options_.on_rerouting(what);
}

std::optional<Failure> ProgressThread::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void ProgressThread::wake() {
  if (!asleep_.exchange(false)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
}

void ProgressThread::loop() {
  make_this_thread_prompt();
  Clock::time_point last_work = Clock::now();
  while (!over_) {
    const Work ordered = take_orders();
    const bool moving = carrier_->progress() == Carrier::Moved::something;
    const Work advanced = advance_touched();
    const Clock::time_point now = Clock::now();
    if (now - looked_ >= look_every) look_after(now);
    if (moving || ordered == Work::done || advanced == Work::done)
      last_work = now;
    else if (now - last_work >= options_.spin)
      sleep();
  }
}

ProgressThread::Work ProgressThread::take_orders() {
  Orders orders;
  {
    const std::lock_guard lock(mutex_);
    std::swap(orders, orders_);
  }
  for (BackgroundWork* work : orders.started) {
    active_.push_back(work);
    if (failure_)
      end(*work, failure_);
    else
      touch(*work);
  }
  for (const auto& [to, route] : orders.preferred) carrier_->prefer(to, route);
  for (const Failure& failure : orders.suspected) broke(failure);
  for (const Failure& failure : orders.late) waited_in_vain(failure);
  if (orders.aborted && !failure_) {
    link_->abort(*orders.aborted);
    wait_for_verdict(*orders.aborted);
  }
  if (orders.close_until) close_until_ = orders.close_until;
  return orders.started.empty() ? Work::none : Work::done;
}

void ProgressThread::touch(BackgroundWork& work) {
  if (work.touched_) return;
  work.touched_ = true;
  touched_.push_back(&work);
}

ProgressThread::Work ProgressThread::advance_touched() {
  if (touched_.empty()) return Work::none;
  std::vector<BackgroundWork*> now;
  std::swap(now, touched_);
  for (BackgroundWork* work : now) {
    work->touched_ = false;
    if (!failure_) work->advance(*this);
    // What completed at once has touched it again; it must not end before that is taken back.
    if (work->finished() && !work->touched_) end(*work, std::nullopt);
  }
  return Work::done;
}

void ProgressThread::end(BackgroundWork& work, const std::optional<Failure>& failure) {
  std::erase(active_, &work);
  work.failure_ = failure;
  work.times_.end = Clock::now();
  if (work.times_.moving == Clock::time_point{}) work.times_.moving = work.times_.end;
  {
    const std::lock_guard lock(room_.mutex);
    work.ended_.store(true, std::memory_order_release);
  }
  room_.something_ended.notify_all();
}

// An order given after asleep_ is set writes to wake_; one given before is found here.
void ProgressThread::sleep() {
  asleep_ = true;
  {
    const std::lock_guard lock(mutex_);
    if (orders_.any()) {
      asleep_ = false;
      return;
    }
  }
  if (carrier_->arm() == Carrier::Armed::progress) {
    asleep_ = false;
    return;
  }
  watch_link();
  const bool idle = active_.empty() && !own_verdict_ && !close_until_ && !carrier_->restless();
  const Milliseconds at_most = idle ? link_->interval() : sleep_at_most;
  std::array<epoll_event, 4> events;
  epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
             static_cast<int>(at_most.count()));
  asleep_ = false;
  std::uint64_t drained = 0;
  [[maybe_unused]] const ssize_t size = read(wake_.number(), &drained, sizeof drained);
  look_after(Clock::now());
}

// A link that has failed stays readable for ever.
void ProgressThread::watch_link() {
  if (link_->failure() || link_->everyone_left()) {
    epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, link_->descriptor(), nullptr);
    return;
  }
  watch(epoll_, link_->descriptor(), link_->has_unsent() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void ProgressThread::look_after(Clock::time_point now) {
  looked_ = now;
  link_->advance(now);
  if (!failure_) {
    find_overdue(now);
    if (link_->failure())
      fail(*link_->failure());
    else if (own_verdict_ && now >= own_verdict_at_)
      fail(*own_verdict_);
  }
  if (close_until_) try_to_leave(now);
}

void ProgressThread::find_overdue(Clock::time_point now) {
  for (BackgroundWork* work : active_) {
    if (now < work->deadline_ || work->finished()) continue;
    work->deadline_ = Clock::time_point::max();
    waited_in_vain(work->overdue());
  }
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
  touched_.clear();
  while (!active_.empty()) end(*active_.back(), failure);
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
  if (!active_.empty()) return;
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
  touch(work);
}

}  // namespace quintet::engine
