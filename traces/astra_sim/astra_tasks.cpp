#include "traces/astra_sim/astra_tasks.h"

#include <algorithm>
#include <cmath>

#include "traces/astra_sim/wire_rules.h"

namespace quintet {
namespace {

// ASTRA-sim's clock never stands still for a task that the trace gives no time.
std::int64_t recorded_nanoseconds(const WorkloadTask& task) {
  return std::max<std::int64_t>(task.work.picoseconds / 1000, 1);
}

std::int64_t whole_bytes(Bytes size) {
  return std::llround(size.value);
}

}  // namespace

AstraResource resource_of(const Workload& workload, const SpanInfo& info) {
  switch (info.kind) {
    case SpanKind::host:
      return AstraResource::host;
    case SpanKind::compute:
      return workload.lanes[static_cast<std::size_t>(info.lane)].kind == LaneKind::host
                 ? AstraResource::host
                 : AstraResource::compute;
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::copy:
      return AstraResource::communication;
    case SpanKind::receive:
      return AstraResource::none;
  }
  return AstraResource::none;
}

std::int64_t roofline_nanoseconds(const AstraSystem& system, Flops operations, Bytes touched) {
  const double intensity = operations.value / touched.value;
  const double rate = std::min(system.memory_gigabytes * 1'000'000'000 * intensity,
                               system.peak_teraflops * 1'000'000'000'000);
  return whole_nanoseconds(operations.value / rate * 1e9);
}

AstraTasks::AstraTasks(const Workload& workload, const AstraNetwork& network,
                       const AstraSystem& system, EventQueue& events, Traffic& traffic)
    : workload_(workload),
      network_(network),
      system_(system),
      events_(events),
      traffic_(traffic),
      rank_events_(events, static_cast<int>(workload.ranks.size()),
                   [this](int rank, const RankEvent& event) { happen(rank, event); }),
      pieces_(network, system, rank_events_, traffic,
              [this](int rank, int task) { ended(rank, task); }),
      ranks_(workload.ranks.size()) {
  traffic.tell([this](int rank, int task) { ended(rank, task); },
               [this](Receiver receiver) { received(receiver); });
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) order(rank);
}

const WorkloadTask& AstraTasks::task_of(int rank, int task) const {
  return workload_.ranks[static_cast<std::size_t>(rank)].tasks[static_cast<std::size_t>(task)];
}

const SpanInfo& AstraTasks::info_of(int rank, int task) const {
  return workload_.infos[static_cast<std::size_t>(task_of(rank, task).info)];
}

// Who comes after whom; where lanes are in order, also after the one before on the lane.
void AstraTasks::order(int rank) {
  const WorkloadRank& work = workload_.ranks[static_cast<std::size_t>(rank)];
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;  // first, then
  std::vector<std::int32_t> last_of_lane(workload_.lanes.size(), -1);
  const auto count = static_cast<std::int32_t>(work.tasks.size());
  for (std::int32_t task = 0; task < count; ++task) {
    const auto at = static_cast<std::size_t>(task);
    for (auto k = work.after_begin[at]; k < work.after_begin[at + 1]; ++k)
      pairs.emplace_back(work.after[static_cast<std::size_t>(k)], task);
    std::int32_t& last = last_of_lane[static_cast<std::size_t>(info_of(rank, task).lane)];
    if (workload_.lanes_in_order && last >= 0) pairs.emplace_back(last, task);
    last = task;
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  state.missing.assign(work.tasks.size(), 0);
  state.next_begin.assign(work.tasks.size() + 1, 0);
  for (const auto& [first, then] : pairs) {
    ++state.next_begin[static_cast<std::size_t>(first) + 1];
    ++state.missing[static_cast<std::size_t>(then)];
    state.next.push_back(then);
  }
  for (std::size_t at = 0; at < work.tasks.size(); ++at)
    state.next_begin[at + 1] += state.next_begin[at];
  for (std::int32_t task = 0; task < count; ++task)
    if (state.missing[static_cast<std::size_t>(task)] == 0) make_ready(rank, task);
}

void AstraTasks::make_ready(int rank, int task) {
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  if (state.taking_up) {
    state.ready_later.push_back(task);
    return;
  }
  const AstraResource resource = resource_of(workload_, info_of(rank, task));
  state.ready[static_cast<std::size_t>(resource)].insert(task);
}

void AstraTasks::start() {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) take_up(rank);
}

void AstraTasks::settle(int rank, int task) {
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  --state.running;
  const AstraResource resource = resource_of(workload_, info_of(rank, task));
  state.taken[static_cast<std::size_t>(resource)] = false;
  const auto at = static_cast<std::size_t>(task);
  for (auto k = state.next_begin[at]; k < state.next_begin[at + 1]; ++k) {
    const std::int32_t then = state.next[static_cast<std::size_t>(k)];
    if (--state.missing[static_cast<std::size_t>(then)] == 0) make_ready(rank, then);
  }
}

void AstraTasks::ended(int rank, int task) {
  settle(rank, task);
  take_up(rank);
}

std::int32_t AstraTasks::next_to_take_up(const RankState& state, std::int32_t last) const {
  std::int32_t next = -1;
  for (std::size_t resource = 0; resource < state.ready.size(); ++resource) {
    const bool free =
        !state.taken[resource] || resource == static_cast<std::size_t>(AstraResource::none);
    const auto first = state.ready[resource].upper_bound(last);
    if (free && first != state.ready[resource].end() && (next < 0 || *first < next)) next = *first;
  }
  return next;
}

// ASTRA-sim goes once through what is ready when it begins. What becomes ready meanwhile waits for
// the next task to end, or, where none runs, which it would wait for in vain, follows at once.
void AstraTasks::take_up(int rank) {
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  do {
    state.taking_up = true;
    std::int32_t last = -1;
    while ((last = next_to_take_up(state, last)) >= 0) issue(rank, last);
    state.taking_up = false;
    for (const std::int32_t task : std::exchange(state.ready_later, {})) make_ready(rank, task);
  } while (state.running == 0 && next_to_take_up(state, -1) >= 0);
  if (state.running > 0 || state.finished) return;
  state.finished = true;
  state.time = {events_.now(), events_.now() - Instant{} - state.computed};
}

void AstraTasks::issue(int rank, int task) {
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  const SpanInfo& info = info_of(rank, task);
  const auto resource = static_cast<std::size_t>(resource_of(workload_, info));
  state.ready[resource].erase(task);
  state.taken[resource] = true;
  ++state.running;
  if (system_.replay_only) return replay(rank, task);
  if (is_communication(info.kind)) return communicate(rank, task);
  if (!system_.roofline || resource == static_cast<std::size_t>(AstraResource::host))
    return replay(rank, task);
  compute(rank, task);
}

void AstraTasks::take(int rank, int task, std::int64_t nanoseconds) {
  rank_events_.after(rank, nanoseconds, {RankEvent::Kind::ended, task, -1});
}

void AstraTasks::replay(int rank, int task) {
  const std::int64_t nanoseconds = recorded_nanoseconds(task_of(rank, task));
  if (resource_of(workload_, info_of(rank, task)) != AstraResource::host)
    ranks_[static_cast<std::size_t>(rank)].computed += span_of(nanoseconds);
  take(rank, task, nanoseconds);
}

void AstraTasks::compute(int rank, int task) {
  const WorkloadTask& work = task_of(rank, task);
  if (work.touched.value == 0.0) return settle(rank, task);
  const std::int64_t nanoseconds = roofline_nanoseconds(system_, work.flops, work.touched);
  ranks_[static_cast<std::size_t>(rank)].computed += span_of(nanoseconds);
  take(rank, task, nanoseconds);
}

void AstraTasks::communicate(int rank, int task) {
  if (info_of(rank, task).kind != SpanKind::collective) return message(rank, task);
  collective(rank, task);
}

void AstraTasks::collective(int rank, int task) {
  const WorkloadTask& work = task_of(rank, task);
  const TaskPeers& peers =
      workload_.ranks[static_cast<std::size_t>(rank)].peers[static_cast<std::size_t>(work.peers)];
  // ASTRA-sim has no broadcast: it takes what the trace says.
  if (!astra_collective_of(peers.collective)) return take(rank, task, recorded_nanoseconds(work));
  const std::vector<std::int32_t>* group =
      peers.group < 0 ? nullptr : &workload_.groups[static_cast<std::size_t>(peers.group)].ranks;
  const double members = static_cast<double>(group == nullptr ? ranks_.size() : group->size());
  if (group != nullptr && group->size() == ranks_.size()) group = nullptr;
  // A rank puts a share into an all-gather; our sizes are of the whole.
  const Bytes size = info_of(rank, task).size;
  const bool gathers = peers.collective == CollectiveKind::all_gather;
  const std::int64_t put_in = whole_bytes(gathers ? size / members : size);
  if (pieces_.start({peers.collective, put_in, rank, group}, peers.group, task) > 0) return;
  ++alone_;
  take(rank, task, 0);
}

void AstraTasks::message(int rank, int task) {
  const WorkloadTask& work = task_of(rank, task);
  const TaskPeers& peers =
      workload_.ranks[static_cast<std::size_t>(rank)].peers[static_cast<std::size_t>(work.peers)];
  const std::int64_t size = whole_bytes(info_of(rank, task).size);
  const std::int64_t tag = tag_of_task(peers.tag);
  if (info_of(rank, task).kind == SpanKind::send)
    return traffic_.send({tag, size, rank, peers.peer, task});
  std::int32_t number = 0;
  if (free_receives_.empty()) {
    number = static_cast<std::int32_t>(receives_.size());
    receives_.push_back({rank, task});
  } else {
    number = free_receives_.back();
    free_receives_.pop_back();
    receives_[static_cast<std::size_t>(number)] = {rank, task};
  }
  traffic_.receive({tag, size, peers.peer, rank}, {Receiver::Kind::task, number});
}

void AstraTasks::happen(int rank, const RankEvent& event) {
  switch (event.kind) {
    case RankEvent::Kind::handled:
      return pieces_.handled(rank, event);
    case RankEvent::Kind::ended:
      return ended(rank, event.number);
  }
}

void AstraTasks::received(Receiver receiver) {
  if (receiver.kind == Receiver::Kind::piece) return pieces_.received(receiver.number);
  const Task task = receives_[static_cast<std::size_t>(receiver.number)];
  free_receives_.push_back(receiver.number);
  ended(task.rank, task.task);
}

}  // namespace quintet
