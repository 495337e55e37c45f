#include "engine/network/transport/delegate_thread.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "engine/network/transport/prompt_thread.h"

namespace quintet::engine {

namespace {

constexpr Milliseconds busy_sleep{20}, idle_sleep{500};

}  // namespace

DelegateThread::DelegateThread(const DelegateThreadOptions& options, WaitingRoom& room)
    : options_(options), work_(room) {}

DelegateThread::~DelegateThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    orders_.ended = true;
  }
  sleeper_.wake();
  thread_.join();
}

std::optional<Error> DelegateThread::run(std::unique_ptr<Carrier> carrier) {
  carrier_ = std::move(carrier);
  if (!sleeper_.hears_wake() || !sleeper_.watch(carrier_->descriptor(), EPOLLIN))
    return Error{"transport", "cannot watch a delegate's descriptors: " + system_error(errno)};
  thread_ = std::thread([this] { loop(); });
  return std::nullopt;
}

void DelegateThread::start(BackgroundWork& work, Clock::time_point deadline) {
  work.set_deadline(deadline);
  {
    const std::lock_guard lock(mutex_);
    sent_all_ = false;
    orders_.started.push_back(&work);
  }
  sleeper_.wake();
}

void DelegateThread::prefer(Rank to, std::size_t route) {
  {
    const std::lock_guard lock(mutex_);
    orders_.preferred.emplace_back(to, route);
  }
  sleeper_.wake();
}

void DelegateThread::fail(const Failure& failure) {
  {
    const std::lock_guard lock(mutex_);
    if (!orders_.failed) orders_.failed = failure;
  }
  sleeper_.wake();
}

void DelegateThread::loop() {
  make_this_thread_prompt();
  Clock::time_point last_work = Clock::now();
  while (!over_) {
    const bool ordered = take_orders();
    const bool moving = carrier_->progress() == Carrier::Moved::something;
    const bool advanced = work_.advance(*this);
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
    if (!sent_all_ && orders.started.empty() && work_.empty() &&
        carrier_->flush() == Carrier::Moved::nothing)
      sent_all_ = true;
  }
  for (BackgroundWork* work : orders.started) work_.begin(*work);
  for (const auto& [to, route] : orders.preferred) carrier_->prefer(to, route);
  if (orders.failed && !failure_) failure_ = orders.failed;
  if (failure_) {
    carrier_->cancel_everything();  // which lets go of the buffers
    work_.end_all(*failure_);
  }
  over_ = orders.ended;
  return orders.any();
}

void DelegateThread::sleep() {
  sleeper_.lie_down();
  {
    const std::lock_guard lock(mutex_);
    if (orders_.any()) return sleeper_.get_up();
  }
  if (carrier_->arm() == Carrier::Armed::progress) return sleeper_.get_up();
  sleeper_.sleep(work_.empty() && !carrier_->restless() ? idle_sleep : busy_sleep);
  for (const Failure& late : work_.overdue(Clock::now())) options_.on_late(late);
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
  work_.touch(work);
}

void DelegateThread::broke(const Failure& failure) {
  if (!failure_) options_.on_broken(failure);
}

void DelegateThread::rerouted(const std::string& what) {
  if (options_.on_rerouting) options_.on_rerouting(what);
}

}  // namespace quintet::engine
