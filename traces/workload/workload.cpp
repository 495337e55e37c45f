#include "traces/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "traces/workload/launch_gaps.h"

namespace quintet {

void WorkloadRank::add(const WorkloadTask& task, std::span<const std::int32_t> after_these) {
  tasks.push_back(task);
  after.insert(after.end(), after_these.begin(), after_these.end());
  after_begin.push_back(static_cast<std::int32_t>(after.size()));
}

std::span<const std::int32_t> WorkloadRank::after_of(std::size_t task) const {
  const auto begin = static_cast<std::size_t>(after_begin[task]);
  return std::span(after).subspan(begin, static_cast<std::size_t>(after_begin[task + 1]) - begin);
}

namespace {

class Inspector {
 public:
  explicit Inspector(const Workload& workload) : workload_(workload) {}

  std::vector<std::string> inspect() {
    for (const SpanInfo& info : workload_.infos)
      if (info.lane < 0 || static_cast<std::size_t>(info.lane) >= workload_.lanes.size())
        faults_.push_back(fmt::format("info \"{}\": its lane does not exist", info.name));
    for (const WorkloadRank& rank : workload_.ranks) inspect(rank);
    return std::move(faults_);
  }

 private:
  void inspect(const WorkloadRank& rank) {
    const std::string place = fmt::format("rank {}: ", rank.rank.value);
    if (rank.after_begin.size() != rank.tasks.size() + 1)
      return faults_.push_back(place + "`after_begin` is not one longer than its tasks");
    std::map<int, Instant> ends;
    for (std::size_t task = 0; task < rank.tasks.size(); ++task) {
      for (const std::int32_t other : rank.after_of(task))
        if (other < 0 || static_cast<std::size_t>(other) >= task)
          faults_.push_back(
              fmt::format("{}task {} is after {}, no earlier one", place, task, other));
      inspect(rank, rank.tasks[task], fmt::format("{}task {}", place, task), ends);
    }
  }

  void inspect(const WorkloadRank& rank, const WorkloadTask& task, const std::string& place,
               std::map<int, Instant>& ends) {
    if (task.info < 0 || static_cast<std::size_t>(task.info) >= workload_.infos.size())
      return faults_.push_back(place + ": its info does not exist");
    const SpanInfo& info = workload_.infos[static_cast<std::size_t>(task.info)];
    if (task.peers >= static_cast<std::int32_t>(rank.peers.size()))
      faults_.push_back(place + ": its peers do not exist");
    if (task.peers >= 0 && !is_communication(info.kind))
      faults_.push_back(place + ": it has peers and does not communicate");
    if (!workload_.recorded) return;
    if (task.moving < task.start || task.end < task.moving)
      faults_.push_back(place + ": it ends before it moves, or moves before it starts");
    const auto [last, fresh] = ends.try_emplace(info.lane, task.end);
    if (!fresh && task.start < last->second)
      faults_.push_back(place + ": it overlaps the one before it on its lane");
    last->second = std::max(last->second, task.end);
  }

  const Workload& workload_;
  std::vector<std::string> faults_;
};

// Both ends of a message: from, to (indices into ranks), tag, sequence.
using MessageKey = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>;

// A number for each message of which both ends are there.
class Flows {
 public:
  explicit Flows(const Workload& workload) : workload_(workload) {
    for_each([&](const MessageKey& key, SpanKind kind) {
      (kind == SpanKind::send ? sent_ : received_)[key] = 0;
    });
  }

  std::int32_t of(std::int32_t rank, const WorkloadTask& task) {
    const SpanKind kind = workload_.infos[static_cast<std::size_t>(task.info)].kind;
    if (task.peers < 0 || (kind != SpanKind::send && kind != SpanKind::receive)) return -1;
    const MessageKey key = key_of(rank, task, kind);
    if (!sent_.contains(key) || !received_.contains(key)) return -1;
    return numbers_.try_emplace(key, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

 private:
  MessageKey key_of(std::int32_t rank, const WorkloadTask& task, SpanKind kind) const {
    const TaskPeers& peers =
        workload_.ranks[static_cast<std::size_t>(rank)].peers[static_cast<std::size_t>(task.peers)];
    return kind == SpanKind::send ? MessageKey{rank, peers.peer, peers.tag, peers.sequence}
                                  : MessageKey{peers.peer, rank, peers.tag, peers.sequence};
  }
  template <class Take>
  void for_each(Take take) const {
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank)
      for (const WorkloadTask& task : workload_.ranks[rank].tasks) {
        const SpanKind kind = workload_.infos[static_cast<std::size_t>(task.info)].kind;
        if (task.peers >= 0 && (kind == SpanKind::send || kind == SpanKind::receive))
          take(key_of(static_cast<std::int32_t>(rank), task, kind), kind);
      }
  }

  const Workload& workload_;
  std::map<MessageKey, int> sent_, received_;
  std::map<MessageKey, std::int32_t> numbers_;
};

}  // namespace

std::vector<std::string> faults(const Workload& workload) {
  return Inspector(workload).inspect();
}

namespace {

// Group, 0 and number of a collective; sender, receiver + 1, and what tells a message.
using ArrivalKey = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>;

template <class Take>
void for_each_arrival(Workload& workload, Take take) {
  for (std::size_t number = 0; number < workload.ranks.size(); ++number) {
    WorkloadRank& rank = workload.ranks[number];
    for (WorkloadTask& task : rank.tasks) {
      if (task.peers < 0) continue;
      const TaskPeers& peers = rank.peers[static_cast<std::size_t>(task.peers)];
      const SpanKind kind = workload.infos[static_cast<std::size_t>(task.info)].kind;
      const auto own = static_cast<std::int32_t>(number);
      if (kind == SpanKind::collective)
        take(task, kind, ArrivalKey{peers.group, 0, 0, peers.sequence});
      else if (kind == SpanKind::send)
        take(task, kind, ArrivalKey{own, peers.peer + 1, peers.tag, peers.sequence});
      else
        take(task, kind, ArrivalKey{peers.peer, own + 1, peers.tag, peers.sequence});
    }
  }
}

}  // namespace

void complete_groups(Workload& workload) {
  std::map<int, std::int32_t> places;
  for (std::size_t i = 0; i < workload.ranks.size(); ++i)
    places[workload.ranks[i].rank.value] = static_cast<std::int32_t>(i);
  for (WorkloadGroup& group : workload.groups) {
    if (group.members.empty())
      for (const std::int32_t rank : group.ranks)
        group.members.push_back(workload.ranks[static_cast<std::size_t>(rank)].rank.value);
    group.ranks.clear();
    for (const int member : group.members) {
      if (const auto place = places.find(member); place != places.end())
        group.ranks.push_back(place->second);
      workload.world_size = std::max(workload.world_size, member + 1);
    }
  }
  for (const auto& [rank, place] : places)
    workload.world_size = std::max(workload.world_size, rank + 1);
}

void note_arrivals(Workload& workload) {
  std::map<ArrivalKey, Instant> last;
  for_each_arrival(workload, [&](WorkloadTask& task, SpanKind kind, const ArrivalKey& key) {
    if (kind == SpanKind::receive) return;
    Instant& known = last[key];
    known = std::max(known, task.start);
  });
  for_each_arrival(workload, [&](WorkloadTask& task, SpanKind kind, const ArrivalKey& key) {
    const auto found = last.find(key);
    if (kind != SpanKind::send && found != last.end())
      task.moving = std::clamp(found->second, task.start, task.end);
  });
}

std::vector<std::vector<std::int32_t>> tasks_of_spans(const Workload& workload) {
  std::vector<std::vector<std::int32_t>> all;
  for (const WorkloadRank& rank : workload.ranks) {
    std::vector<std::int32_t>& order = all.emplace_back(rank.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
      return rank.tasks[static_cast<std::size_t>(left)].start <
             rank.tasks[static_cast<std::size_t>(right)].start;
    });
  }
  return all;
}

SpanCauses causes_of(const Workload& workload,
                     const std::vector<std::vector<std::int32_t>>& tasks_of_spans) {
  SpanCauses causes;
  for (const WorkloadGroup& group : workload.groups) {
    std::vector<Rank>& members = causes.groups.emplace_back();
    for (const int member : group.members) members.push_back(Rank{member});
  }
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank) {
    const WorkloadRank& own = workload.ranks[rank];
    std::vector<std::int32_t> places(own.tasks.size(), -1);
    for (std::size_t span = 0; span < tasks_of_spans[rank].size(); ++span)
      places[static_cast<std::size_t>(tasks_of_spans[rank][span])] =
          static_cast<std::int32_t>(span);
    for (const std::int32_t number : tasks_of_spans[rank]) {
      const WorkloadTask& task = own.tasks[static_cast<std::size_t>(number)];
      std::vector<std::int32_t>& after = causes.after.emplace_back();
      for (const std::int32_t other : own.after_of(static_cast<std::size_t>(number)))
        if (places[static_cast<std::size_t>(other)] >= 0)
          after.push_back(places[static_cast<std::size_t>(other)]);
      const bool meets =
          task.peers >= 0 && own.peers[static_cast<std::size_t>(task.peers)].group >= 0;
      const TaskPeers none, &peers = meets ? own.peers[static_cast<std::size_t>(task.peers)] : none;
      causes.group.push_back(peers.group);
      causes.use.push_back(meets ? static_cast<std::int32_t>(peers.sequence) : -1);
    }
  }
  return causes;
}

Timeline timeline_of(const Workload& workload) {
  Timeline timeline{.name = workload.name, .infos = workload.infos, .end = workload.end};
  for (const LaneInfo& lane : workload.lanes) timeline.lanes.push_back(lane.name);
  Flows flows(workload);
  const std::vector<std::vector<std::int32_t>> order = tasks_of_spans(workload);
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank) {
    const WorkloadRank& own = workload.ranks[rank];
    const auto track = static_cast<std::int32_t>(rank);
    timeline.tracks.push_back({own.rank, 1, own.stage, own.role, own.host});
    for (const std::int32_t number : order[rank]) {
      const WorkloadTask& task = own.tasks[static_cast<std::size_t>(number)];
      timeline.spans.push_back({task.info, track, task.start, task.moving, task.end, task.layer,
                                task.micro_batch, task.chunk, task.bucket, flows.of(track, task)});
    }
    const std::vector<HostGap> gaps = launch_gaps(workload, track);
    timeline.host_gaps.insert(timeline.host_gaps.end(), gaps.begin(), gaps.end());
  }
  timeline.measurement = Measurement{.steps = {{0, workload.end - Instant{}}}};
  return timeline;
}

}  // namespace quintet
