// Steps of a few ranks, timed by the rules of programs: a task starts when those it is after and
// the one before it on its lane have ended; a collective moves when its last member has come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/workload/workload.h"

namespace quintet::test {

// Lanes of the steps.
enum class On : int { compute, communication, sends, receives, thread };

class SmallStep {
 public:
  static constexpr std::int64_t us = 1'000'000;  // picoseconds

  // A rank per host: "host0" and so on; stages as given, or all 0.
  explicit SmallStep(int ranks, std::vector<int> stages = {}) {
    workload_.name = "small step";
    workload_.recorded = true;
    workload_.world_size = ranks;
    workload_.lanes = {{LaneKind::compute, "compute"},
                       {LaneKind::communication, "communication"},
                       {LaneKind::communication, "sends"},
                       {LaneKind::communication, "receives"},
                       {LaneKind::host, "thread"}};
    for (int rank = 0; rank < ranks; ++rank) {
      WorkloadRank& made = workload_.ranks.emplace_back();
      made.rank = Rank{rank};
      made.stage = stages.empty() ? 0 : stages[static_cast<std::size_t>(rank)];
      made.host = "host" + std::to_string(rank);
    }
    drafts_.resize(workload_.ranks.size());
    free_.assign(workload_.ranks.size(), std::vector<std::int64_t>(workload_.lanes.size(), 0));
  }

  // All return the task's number, for `after`.
  int compute(int rank, const std::string& name, std::int64_t time, std::vector<int> after = {}) {
    return plain(rank, On::compute, SpanKind::compute, name, time, after);
  }
  int thread(int rank, const std::string& name, std::int64_t time, std::vector<int> after = {}) {
    return plain(rank, On::thread, SpanKind::host, name, time, after);
  }
  // The compute lane waits for a launch.
  void gap(int rank, std::int64_t time) {
    std::int64_t& free = free_at(rank, On::compute);
    gaps_.push_back({rank, {free}, {free + time}});
    free += time;
  }

  int group(const std::string& name, std::vector<int> members) {
    workload_.groups.push_back({name, std::move(members)});
    return static_cast<int>(workload_.groups.size()) - 1;
  }
  // `after`: per member, the task that it waits for; -1: none. The tasks' numbers by member.
  std::vector<int> collective(int group, CollectiveKind kind, double bytes, std::int64_t time,
                              const std::vector<int>& after) {
    const std::vector<int>& members = workload_.groups[static_cast<std::size_t>(group)].members;
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < members.size(); ++i)
      starts.push_back(start_of(members[i], On::communication, {after[i]}));
    const std::int64_t moving = *std::max_element(starts.begin(), starts.end());
    const std::int32_t info = info_of(SpanKind::collective, "all-reduce", On::communication, bytes);
    std::vector<int> made;
    for (std::size_t i = 0; i < members.size(); ++i) {
      made.push_back(
          add(members[i], On::communication, info, {starts[i], moving, moving + time}, {after[i]}));
      drafts_[static_cast<std::size_t>(members[i])].back().peers =
          TaskPeers{.collective = kind, .group = group, .sequence = uses_[group]};
    }
    ++uses_[group];
    return made;
  }
  // Posted ahead by the receiver; the numbers of the send and of the receive.
  std::pair<int, int> message(int from, int to, double bytes, std::int64_t time, int after) {
    const std::int64_t sent = start_of(from, On::sends, {after});
    const std::int64_t posted = free_at(to, On::receives);
    const std::int64_t moving = std::max(sent, posted);
    const int send = add(from, On::sends, info_of(SpanKind::send, "send", On::sends, bytes),
                         {sent, moving, moving + time}, {after});
    drafts_[static_cast<std::size_t>(from)].back().peers =
        TaskPeers{.sequence = messages_, .peer = to};
    const int receive =
        add(to, On::receives, info_of(SpanKind::receive, "receive", On::receives, bytes),
            {posted, moving, moving + time}, {});
    drafts_[static_cast<std::size_t>(to)].back().peers =
        TaskPeers{.sequence = messages_, .peer = from};
    ++messages_;
    return {send, receive};
  }

  Workload workload() const {
    Workload made = workload_;
    for (std::size_t rank = 0; rank < drafts_.size(); ++rank) put(drafts_[rank], made.ranks[rank]);
    for (const std::vector<Draft>& rank : drafts_)
      for (const Draft& draft : rank) made.end = std::max(made.end, draft.task.end);
    return made;
  }
  Timeline timeline() const {
    Timeline made = timeline_of(workload());
    made.host_gaps = gaps_;
    return made;
  }

 private:
  struct Times {
    std::int64_t start = 0, moving = 0, end = 0;
  };
  struct Draft {
    WorkloadTask task;
    std::vector<int> after;
    TaskPeers peers{.sequence = -2};  // -2: none
  };

  std::int64_t& free_at(int rank, On lane) {
    return free_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(lane)];
  }
  std::int64_t start_of(int rank, On lane, const std::vector<int>& after) {
    std::int64_t start = free_at(rank, lane);
    for (const int other : after)
      if (other >= 0)
        start =
            std::max(start, drafts_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(other)]
                                .task.end.picoseconds);
    return start;
  }
  int plain(int rank, On lane, SpanKind kind, const std::string& name, std::int64_t time,
            const std::vector<int>& after) {
    const std::int64_t start = start_of(rank, lane, after);
    return add(rank, lane, info_of(kind, name, lane, 0), {start, start, start + time}, after);
  }
  std::int32_t info_of(SpanKind kind, const std::string& name, On lane, double bytes) {
    const SpanInfo info{
        .name = name, .kind = kind, .size = {bytes}, .lane = static_cast<int>(lane)};
    const auto known = std::find(workload_.infos.begin(), workload_.infos.end(), info);
    if (known != workload_.infos.end())
      return static_cast<std::int32_t>(known - workload_.infos.begin());
    workload_.infos.push_back(info);
    return static_cast<std::int32_t>(workload_.infos.size()) - 1;
  }
  int add(int rank, On lane, std::int32_t info, Times times, const std::vector<int>& after) {
    free_at(rank, lane) = times.end;
    std::vector<Draft>& drafts = drafts_[static_cast<std::size_t>(rank)];
    Draft& made = drafts.emplace_back();
    made.task.info = info;
    made.task.start = {times.start};
    made.task.moving = {times.moving};
    made.task.end = {times.end};
    for (const int other : after)
      if (other >= 0) made.after.push_back(other);
    return static_cast<int>(drafts.size()) - 1;
  }
  // In order of start, as workloads promise.
  static void put(const std::vector<Draft>& drafts, WorkloadRank& rank) {
    std::vector<int> order(drafts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::stable_sort(order.begin(), order.end(), [&](int one, int other) {
      return drafts[static_cast<std::size_t>(one)].task.start <
             drafts[static_cast<std::size_t>(other)].task.start;
    });
    std::vector<std::int32_t> place(drafts.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    for (const int number : order) {
      const Draft& draft = drafts[static_cast<std::size_t>(number)];
      WorkloadTask task = draft.task;
      if (draft.peers.sequence != -2) {
        task.peers = static_cast<std::int32_t>(rank.peers.size());
        rank.peers.push_back(draft.peers);
      }
      std::vector<std::int32_t> after;
      for (const int other : draft.after) after.push_back(place[static_cast<std::size_t>(other)]);
      rank.add(task, after);
    }
  }

  Workload workload_;
  std::vector<std::vector<Draft>> drafts_;       // per rank
  std::vector<std::vector<std::int64_t>> free_;  // per rank and lane, when it is
  std::vector<HostGap> gaps_;
  std::map<int, std::int64_t> uses_;
  std::int64_t messages_ = 0;
};

// Data-parallel ranks that compute `layers` layers backward, `times[rank]` each, and sum a bucket
// after each layer, all of which the update waits for.
inline SmallStep data_parallel(const std::vector<std::int64_t>& times, int layers, double bytes,
                               std::int64_t moves) {
  const int ranks = static_cast<int>(times.size());
  SmallStep step(ranks);
  std::vector<int> all(times.size());
  for (int rank = 0; rank < ranks; ++rank) all[static_cast<std::size_t>(rank)] = rank;
  const int group = step.group("data", all);
  std::vector<int> last(times.size());
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<int> done;
    for (int rank = 0; rank < ranks; ++rank)
      done.push_back(step.compute(rank, "backward", times[static_cast<std::size_t>(rank)]));
    last = step.collective(group, CollectiveKind::all_reduce, bytes, moves, done);
  }
  for (int rank = 0; rank < ranks; ++rank)
    step.compute(rank, "update", SmallStep::us, {last[static_cast<std::size_t>(rank)]});
  return step;
}

}  // namespace quintet::test
