#include "engine/network/transport/work_under_way.h"

#include <algorithm>
#include <utility>

namespace quintet::engine {

void WorkUnderWay::begin(BackgroundWork& work) {
  active_.push_back(&work);
  touch(work);
}

void WorkUnderWay::touch(BackgroundWork& work) {
  if (work.touched_) return;
  work.touched_ = true;
  touched_.push_back(&work);
}

bool WorkUnderWay::advance(Wire& wire) {
  if (touched_.empty()) return false;
  for (BackgroundWork* work : std::exchange(touched_, {})) {
    work->touched_ = false;
    work->advance(wire);
    // What completed at once has touched it again; it must not end before that is taken back.
    if (work->finished() && !work->touched_) end(*work, std::nullopt);
  }
  return true;
}

std::vector<Failure> WorkUnderWay::overdue(Clock::time_point now) {
  std::vector<Failure> found;
  for (BackgroundWork* work : active_) {
    if (now < work->deadline_ || work->finished()) continue;
    work->deadline_ = Clock::time_point::max();
    found.push_back(work->overdue());
  }
  return found;
}

void WorkUnderWay::end(BackgroundWork& work, const std::optional<Failure>& failure) {
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

void WorkUnderWay::end_all(const Failure& failure) {
  touched_.clear();
  while (!active_.empty()) end(*active_.back(), failure);
}

}  // namespace quintet::engine
