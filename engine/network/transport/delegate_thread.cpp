#include "engine/network/transport/delegate_thread.h"

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

constexpr Milliseconds busy_sleep{20}, idle_sleep{500};

bool watch(const Descriptor& epoll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(epoll.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

DelegateThread::DelegateThread(const DelegateThreadOptions& options, WaitingRoom& room)
    : options_(options),
      room_(room),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

DelegateThread::~DelegateThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    orders_.ended = true;
  }
  wake();
  thread_.join();
}

std::optional<Error> DelegateThread::run(std::unique_ptr<Carrier> carrier) {
  carrier_ = std::move(carrier);
  if (!watch(epoll_, wake_.number()) || !watch(epoll_, carrier_->descriptor()))
    return Error{"transport", "cannot watch a delegate's descriptors: " + system_error(errno)};
  thread_ = std::thread([this] { loop(); });
  return std::nullopt;
}

void DelegateThread::start(BackgroundWork& work, Clock::time_point deadline) {
  work.deadline_ = deadline;
  {
    const std::lock_guard lock(mutex_);
    sent_all_ = false;
    orders_.started.push_back(&work);
  }
  wake();
}

void DelegateThread::prefer(Rank to, std::size_t route) {
  {
    const std::lock_guard lock(mutex_);
    orders_.preferred.emplace_back(to, route);
  }
  wake();
}

void DelegateThread::fail(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    if (!orders_.failed) orders_.failed = failure;
  }
  wake();
}

void DelegateThread::wake() {
  if (!asleep_.exchange(false)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
}

void DelegateThread::loop() {
  make_this_thread_prompt();
  Clock::time_point last_work = Clock::now();
  while (!over_) {
    const bool ordered = take_orders();
    const bool moving = carrier_->progress() == Carrier::Moved::something;
    const bool advanced = advance_touched();
    const Clock::time_point now = Clock::now();
    if (ordered || moving || advanced)
      last_work = now;
    else if (now - last_work >= options_.spin)
      sleep();
  }
  carrier_->cancel_everything();
}

bool DelegateThread::take_orders() {
  Orders orders;
  {
    const std::lock_guard lock(mutex_);
    std::swap(orders, orders_);
    if (!sent_all_ && orders.started.empty() && active_.empty() &&
        carrier_->flush() == Carrier::Moved::nothing)
      sent_all_ = true;
  }
  for (BackgroundWork* work : orders.started) {
    active_.push_back(work);
    touch(*work);
  }
  for (const auto& [to, route] : orders.preferred) carrier_->prefer(to, route);
  if (orders.failed && !failure_) failure_ = orders.failed;
  if (failure_) end_all();
  over_ = orders.ended;
  return orders.any();
}

void DelegateThread::touch(BackgroundWork& work) {
  if (work.touched_) return;
  work.touched_ = true;
  touched_.push_back(&work);
}

bool DelegateThread::advance_touched() {
  if (touched_.empty()) return false;
  for (BackgroundWork* work : std::exchange(touched_, {})) {
    work->touched_ = false;
    work->advance(*this);
    if (work->finished() && !work->touched_) end(*work);
  }
  return true;
}

void DelegateThread::end(BackgroundWork& work) {
  std::erase(active_, &work);
  work.failure_ = failure_;
  work.times_.end = Clock::now();
  if (work.times_.moving == Clock::time_point{}) work.times_.moving = work.times_.end;
  {
    const std::lock_guard lock(room_.mutex);
    work.ended_.store(true, std::memory_order_release);
  }
  room_.something_ended.notify_all();
}

// The carrier has let go of the buffers first.
void DelegateThread::end_all() {
  carrier_->cancel_everything();
  touched_.clear();
  while (!active_.empty()) end(*active_.back());
}

void DelegateThread::find_overdue(Clock::time_point now) {
  for (BackgroundWork* work : active_) {
    if (now < work->deadline_ || work->finished()) continue;
    work->deadline_ = Clock::time_point::max();
    options_.on_late(work->overdue());
  }
}

// An order given after asleep_ is set writes to wake_; one given before is found here.
void DelegateThread::sleep() {
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
  const Milliseconds at_most = active_.empty() && !carrier_->restless() ? idle_sleep : busy_sleep;
  std::array<epoll_event, 2> events;
  epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
             static_cast<int>(at_most.count()));
  asleep_ = false;
  std::uint64_t drained = 0;
  [[maybe_unused]] const ssize_t size = read(wake_.number(), &drained, sizeof drained);
  find_overdue(Clock::now());
}

void DelegateThread::send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                          std::uint32_t slot) {
  carrier_->send(to, tag, bytes, work, slot);
}

void DelegateThread::receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                             std::uint32_t slot) {
  carrier_->receive(from, tag, bytes, work, slot);
}

void DelegateThread::moved(BackgroundWork& work, std::uint32_t slot) {
  work.moved(slot);
  touch(work);
}

void DelegateThread::broke(const Failure& failure) {
  if (!failure_) options_.on_broken(failure);
}

void DelegateThread::rerouted(const std::string& what) {
  if (options_.on_rerouting) options_.on_rerouting(what);
}

}  // namespace quintet::engine
