#include "traces/kineto/planned_calls.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace quintet::kineto {
namespace {

using Wait = RecordedWait::Kind;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Where calls of a thread go: a reader puts a longer event before one of no length that begins
// with it, so what begins with one of no length begins 1 ns later.
class ThreadClock {
 public:
  std::int64_t moment(std::int64_t wanted) {
    floor_ = std::max(floor_, wanted);
    had_moment_ = true;
    return floor_;
  }
  std::pair<std::int64_t, std::int64_t> span(std::int64_t start, std::int64_t end) {
    start = std::max(start, floor_ + (had_moment_ ? 1 : 0));
    if (start >= end) {
      const std::int64_t at = moment(end);
      return {at, at};
    }
    floor_ = end;
    had_moment_ = false;
    return {start, end};
  }

 private:
  std::int64_t floor_ = 0;
  bool had_moment_ = false;
};

class Planning {
 public:
  Planning(const Workload& workload, const WorkloadRank& rank) : workload_(workload), rank_(rank) {}
  PlannedCalls planned();

 private:
  const WorkloadTask& task(std::int32_t i) const {
    return rank_.tasks[static_cast<std::size_t>(i)];
  }
  int lane(std::int32_t i) const {
    return workload_.infos[static_cast<std::size_t>(task(i).info)].lane;
  }
  const std::string& name(std::int32_t i) const {
    return workload_.infos[static_cast<std::size_t>(task(i).info)].name;
  }
  bool of_host(std::int32_t i) const { return is_of_host(workload_, task(i)); }
  std::span<const std::int32_t> after(std::int32_t i) const {
    return rank_.after_of(static_cast<std::size_t>(i));
  }
  template <class Element>
  auto& of(std::vector<Element>& all, std::int32_t i) const {
    return all[static_cast<std::size_t>(i)];
  }

  void order_tasks();
  void note_dependencies(std::int32_t i);
  void name_threads();
  void plan_host(std::int32_t i);
  void plan_lonely(std::int32_t i);
  std::int64_t soonest(std::int32_t i);
  void add_waits(std::int32_t thread, std::int64_t at, std::int32_t of_stream);
  void add_records(std::int32_t thread, std::int64_t at, std::span<const std::int32_t> works);
  PlannedCall& add(std::int32_t thread, std::int64_t start, std::int64_t end, std::string called);
  RecordedWait wait_of_call(std::int32_t call, std::int32_t work);

  const Workload& workload_;
  const WorkloadRank& rank_;
  PlannedCalls plan_;
  std::vector<std::int32_t> order_;               // tasks by start
  std::vector<std::int32_t> launcher_;            // per task of a stream: of the host, or -1
  std::vector<std::vector<std::int32_t>> works_;  // per task of the host: that it launches
  std::vector<bool> is_awaited_;                  // by another stream or the host
  std::vector<std::int64_t> recorded_;            // correlation of the call behind its launch
  std::vector<std::int32_t> last_on_lane_;        // planned so far
  std::vector<std::int32_t> thread_of_lane_;
  std::vector<ThreadClock> clocks_;
  std::int64_t correlation_ = 0;
};

PlannedCalls Planning::planned() {
  const std::size_t count = rank_.tasks.size();
  launcher_.assign(count, -1);
  works_.resize(count);
  is_awaited_.assign(count, false);
  recorded_.assign(count, -1);
  plan_.launches.resize(count);
  last_on_lane_.assign(workload_.lanes.size(), -1);
  order_tasks();
  name_threads();
  for (const std::int32_t i : order_) note_dependencies(i);
  for (const std::int32_t i : order_) {
    if (of_host(i))
      plan_host(i);
    else if (of(launcher_, i) < 0)
      plan_lonely(i);
    last_on_lane_[static_cast<std::size_t>(lane(i))] = i;
  }
  return std::move(plan_);
}

// What a task is after has ended when it starts, so it comes before: of equal starts by position.
void Planning::order_tasks() {
  order_.resize(rank_.tasks.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t left, std::int32_t right) {
    return task(left).start < task(right).start;
  });
}

void Planning::name_threads() {
  thread_of_lane_.assign(workload_.lanes.size(), -1);
  for (const std::int32_t i : order_) {
    std::int32_t& thread = thread_of_lane_[static_cast<std::size_t>(lane(i))];
    if (!of_host(i) || thread >= 0) continue;
    thread = static_cast<std::int32_t>(plan_.lanes.size());
    plan_.lanes.push_back(lane(i));
  }
  plan_.lanes.push_back(-1);
  plan_.threads.resize(plan_.lanes.size());
  clocks_.resize(plan_.lanes.size());
}

void Planning::note_dependencies(std::int32_t i) {
  for (const std::int32_t before : after(i)) {
    if (!of_host(before)) {
      if (of_host(i) || lane(before) != lane(i))
        is_awaited_[static_cast<std::size_t>(before)] = true;
    } else if (of_host(i)) {
      if (lane(before) != lane(i)) ++plan_.dependencies_left_out;
    } else {
      std::int32_t& launcher = of(launcher_, i);
      if (launcher >= 0 && lane(launcher) != lane(before)) ++plan_.dependencies_left_out;
      launcher = std::max(launcher, before);
    }
  }
  if (!of_host(i) && of(launcher_, i) >= 0) of(works_, of(launcher_, i)).push_back(i);
}

PlannedCall& Planning::add(std::int32_t thread, std::int64_t start, std::int64_t end,
                           std::string called) {
  return of(plan_.threads, thread)
      .emplace_back(PlannedCall{start, end, std::move(called), ++correlation_, -1, false, {}});
}

void Planning::add_waits(std::int32_t thread, std::int64_t at, std::int32_t of_stream) {
  for (const std::int32_t before : after(of_stream)) {
    if (of_host(before) || lane(before) == lane(of_stream)) continue;
    const std::int64_t moment = of(clocks_, thread).moment(at);
    PlannedCall& call = add(thread, moment, moment, "cudaStreamWaitEvent");
    call.waits = true;
    call.wait = {Wait::stream_waits_event, lane(of_stream), of(recorded_, before), lane(before)};
  }
}

void Planning::add_records(std::int32_t thread, std::int64_t at,
                           std::span<const std::int32_t> works) {
  for (const std::int32_t work : works) {
    if (!is_awaited_[static_cast<std::size_t>(work)]) continue;
    const std::int64_t moment = of(clocks_, thread).moment(at);
    of(recorded_, work) = add(thread, moment, moment, "cudaEventRecord").correlation;
  }
}

RecordedWait Planning::wait_of_call(std::int32_t call, std::int32_t work) {
  if (contains(name(call), "DeviceSynchronize") || contains(name(call), "CtxSynchronize"))
    return {Wait::device, -1, -1, -1};
  if (contains(name(call), "StreamSynchronize") || contains(name(call), "Memcpy"))
    return {Wait::stream, lane(work), -1, -1};
  return {Wait::event, -1, of(recorded_, work), lane(work)};
}

void Planning::plan_host(std::int32_t i) {
  const std::int32_t thread = of(thread_of_lane_, lane(i));
  const std::int64_t start = nanoseconds(task(i).start), end = nanoseconds(task(i).end);
  for (const std::int32_t work : of(works_, i)) add_waits(thread, start, work);
  std::vector<std::int32_t> awaited;
  for (const std::int32_t before : after(i))
    if (!of_host(before)) awaited.push_back(before);
  // The call itself waits for the one that ended last.
  std::stable_sort(awaited.begin(), awaited.end(), [&](std::int32_t left, std::int32_t right) {
    return task(left).end < task(right).end;
  });
  for (std::size_t k = 0; k + 1 < awaited.size(); ++k) {
    if (wait_of_call(i, awaited[k]).kind == Wait::device) break;
    const std::int64_t moment = of(clocks_, thread).moment(start);
    PlannedCall& call = add(thread, moment, moment, "cudaEventSynchronize");
    call.waits = true;
    call.wait = {Wait::event, -1, of(recorded_, awaited[k]), lane(awaited[k])};
  }
  const auto& works = of(works_, i);
  const bool records = std::any_of(works.begin(), works.end(), [&](std::int32_t work) {
    return is_awaited_[static_cast<std::size_t>(work)];
  });
  const std::int64_t until = records && end - start > 2 ? end - 1 : end;
  const auto [from, to] = of(clocks_, thread).span(start, until);
  PlannedCall& call = add(thread, from, to, name(i));
  call.task = i;
  if (!awaited.empty()) {
    call.waits = true;
    call.wait = wait_of_call(i, awaited.back());
  }
  for (const std::int32_t work : works)
    of(plan_.launches, work) = {call.correlation, from, to, thread};
  add_records(thread, until, works);
}

// As soon as what it is after was launched, and what is before it on its lane.
std::int64_t Planning::soonest(std::int32_t i) {
  std::int64_t soonest = 0;
  const std::int32_t before_on_lane = last_on_lane_[static_cast<std::size_t>(lane(i))];
  if (before_on_lane >= 0) soonest = of(plan_.launches, before_on_lane).end;
  for (const std::int32_t before : after(i))
    soonest = std::max(soonest, of(plan_.launches, before).end);
  return std::min(soonest, nanoseconds(task(i).start));
}

void Planning::plan_lonely(std::int32_t i) {
  const auto thread = static_cast<std::int32_t>(plan_.threads.size()) - 1;
  const std::int64_t at = soonest(i);
  add_waits(thread, at, i);
  const std::int64_t moment = of(clocks_, thread).moment(at);
  const SpanInfo& info = workload_.infos[static_cast<std::size_t>(task(i).info)];
  const bool is_copy = info.kind == SpanKind::copy;
  const PlannedCall& call =
      add(thread, moment, moment, is_copy ? "cudaMemcpyAsync" : "cudaLaunchKernel");
  of(plan_.launches, i) = {call.correlation, moment, moment, thread};
  const std::array works{i};
  add_records(thread, at, works);
}

}  // namespace

bool is_of_host(const Workload& workload, const WorkloadTask& task) {
  return workload.infos[static_cast<std::size_t>(task.info)].kind == SpanKind::host;
}

std::int64_t nanoseconds(Instant instant) {
  return (instant.picoseconds + 500) / 1000;
}

PlannedCalls planned_calls(const Workload& workload, const WorkloadRank& rank) {
  return Planning(workload, rank).planned();
}

}  // namespace quintet::kineto
