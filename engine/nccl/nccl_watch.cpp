#include "engine/nccl/nccl_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/nccl/nccl_functions.h"

namespace quintet::engine {

NcclWatch::NcclWatch(const NcclFunctions& nccl, Peers& peers, const NcclPatience& patience)
    : nccl_(nccl), peers_(peers), patience_(patience), thread_([this] { run(); }) {}

NcclWatch::~NcclWatch() {
  abort();
  {
    const std::scoped_lock lock(mutex_);
    leave_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

std::optional<NcclTrouble> NcclWatch::call(const NcclCall& call,
                                           const std::function<ncclResult_t()>& ask) {
  {
    const std::scoped_lock lock(mutex_);
    under_way_ = UnderWay{call, Clock::now()};
  }
  const ncclResult_t result = ask();
  const std::scoped_lock lock(mutex_);
  under_way_.reset();
  if (stop_) changed_.notify_all();
  if (failure_) return NcclTrouble{*failure_, true};
  return trouble(nccl_, call.where, call.name, result, call.communicator);
}

void NcclWatch::add(ncclComm_t communicator, const std::string& where) {
  const std::scoped_lock lock(mutex_);
  watched_.push_back({communicator, where});
  changed_.notify_all();
}

void NcclWatch::opened(ncclComm_t communicator) {
  const std::scoped_lock lock(mutex_);
  for (Watched& each : watched_)
    if (each.communicator == communicator) each.open = true;
}

bool NcclWatch::forget(ncclComm_t communicator) {
  const std::scoped_lock lock(mutex_);
  return std::erase_if(watched_, [&](const Watched& each) {
           return each.communicator == communicator && !each.told;
         }) > 0;
}

std::optional<Error> NcclWatch::look(Clock::time_point now) {
  Lock lock(mutex_);
  look(lock, now);
  if (failure_) changed_.wait(lock, [&] { return flagged_; });
  return failure_;
}

bool NcclWatch::troubled() const {
  const std::scoped_lock lock(mutex_);
  return failure_ || suspicion_ || ending_;
}

void NcclWatch::note(const std::optional<NcclTrouble>& trouble, Clock::time_point now) {
  Lock lock(mutex_);
  note(lock, trouble, now);
}

void NcclWatch::end_job(const Error& own) {
  Lock lock(mutex_);
  end_job(lock, own);
}

void NcclWatch::flag() {
  Lock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return flagged_; });
}

void NcclWatch::abort() {
  Lock lock(mutex_);
  stop_ = free_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return watched_.empty(); });
}

// --- with the lock

void NcclWatch::look(Lock& lock, Clock::time_point now) {
  if (failure_ || ending_) return;
  lock.unlock();
  const std::optional<Error> told = peers_.failure();
  lock.lock();
  if (failure_ || ending_) return;
  if (told) {
    failure_ = told;
    stop_ = true;
    changed_.notify_all();
    return;
  }
  note(lock, found(), now);
  if (under_way_ && now - under_way_->since > patience_.within) {
    const NcclCall& call = under_way_->call;
    const std::string what = fmt::format("{}: not over within {} ms, on {} ranks", call.name,
                                         patience_.within.count(), call.ranks);
    end_job(lock, Error{call.where, what});
  }
  if (suspicion_ && now - suspicion_->since >= patience_.verdict_within)
    end_job(lock, Error(suspicion_->error));
}

std::optional<NcclTrouble> NcclWatch::found() const {
  for (const Watched& each : watched_) {
    if (!each.open || suspicion_) continue;
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = nccl_.get_async_error(each.communicator, &state);
    if (auto wrong = trouble(nccl_, each.where, "asynchronous error",
                             asked == ncclSuccess ? state : asked, each.communicator))
      return wrong;
  }
  return std::nullopt;
}

void NcclWatch::note(Lock& lock, const std::optional<NcclTrouble>& trouble, Clock::time_point now) {
  if (!trouble || failure_ || suspicion_ || ending_) return;
  if (trouble->perhaps_another_rank)
    suspicion_ = Suspicion{trouble->error, now};
  else
    end_job(lock, trouble->error);
}

// The job may have ended for another reason meanwhile: that one came first.
void NcclWatch::end_job(Lock& lock, const Error& own) {
  if (failure_ || std::exchange(ending_, true)) return;
  lock.unlock();
  peers_.abort(own.text());
  const std::string me = fmt::format("rank {}", peers_.rank().value);
  const Error cause = peers_.failure().value_or(Error{me, own.text()});
  lock.lock();
  failure_ = cause;
  stop_ = true;
  changed_.notify_all();
}

// --- the watch

void NcclWatch::run() {
  Lock lock(mutex_);
  while (!leave_) {
    changed_.wait_for(lock, patience_.look_every, [&] { return leave_ || (stop_ && !flagged_); });
    if (leave_) return;
    if (!stop_) look(lock, Clock::now());
    if (stop_ && !flagged_) stop(lock);
  }
}

// In one group, also because aborting one after another waits for kernels of those not aborted yet
// (https://github.com/NVIDIA/nccl/issues/1013). Their own answers can only be about what has failed
// already.
void NcclWatch::stop(Lock& lock) {
  const auto is_new = [](const Watched& each) { return !each.told; };
  const auto any_new = [&] { return std::any_of(watched_.begin(), watched_.end(), is_new); };
  nccl_.group_start();
  do {
    for (Watched& each : watched_)
      if (!std::exchange(each.told, true)) nccl_.abort(each.communicator);
    flagged_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return (free_ && !under_way_) || any_new(); });
  } while (any_new());
  lock.unlock();
  nccl_.group_end();
  lock.lock();
  watched_.clear();
  changed_.notify_all();
}

}  // namespace quintet::engine
