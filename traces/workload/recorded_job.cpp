#include "traces/workload/recorded_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "traces/workload/call_keys.h"
#include "traces/workload/job_clock.h"
#include "traces/workload/job_groups.h"
#include "traces/workload/rank_tasks.h"
#include "traces/workload/task_infos.h"
#include "traces/workload/trace_step.h"

namespace quintet {

namespace {

std::optional<Error> name_ranks(const std::vector<RankTrace>& traces, std::vector<int>& ranks,
                                std::vector<WorkloadRemark>& remarks) {
  std::map<int, std::string> known;
  bool guessed = false;
  for (const RankTrace& trace : traces) {
    guessed = guessed || trace.rank < 0;
    if (trace.rank < 0) continue;
    const auto [other, fresh] = known.try_emplace(trace.rank, trace.file);
    if (!fresh)
      return Error{trace.file, fmt::format("is of rank {}, and so is {}: give one of them",
                                           trace.rank, other->second)};
  }
  int next = 0;
  for (const RankTrace& trace : traces) {
    while (trace.rank < 0 && known.contains(next)) ++next;
    ranks.push_back(trace.rank < 0 ? next++ : trace.rank);
  }
  if (guessed && traces.size() > 1)
    remarks.push_back(
        {"Some traces do not say which rank they are of: they are numbered in the "
         "order in which they were given"});
  return std::nullopt;
}

int world_size_of(const std::vector<RankTrace>& traces, const std::vector<int>& ranks) {
  int size = *std::max_element(ranks.begin(), ranks.end()) + 1;
  for (const RankTrace& trace : traces) {
    size = std::max(size, trace.world_size);
    for (const ProcessGroup& group : trace.groups) {
      size = std::max(size, group.size);
      for (const int rank : group.ranks) size = std::max(size, rank + 1);
    }
  }
  return size;
}

class Job {
 public:
  Job(std::vector<RankTrace> traces, ChosenStep step, std::vector<int> ranks, int world_size)
      : traces_(std::move(traces)),
        step_(std::move(step)),
        ranks_(std::move(ranks)),
        groups_(job_groups(traces_, ranks_, world_size)) {
    made_.world_size = world_size;
    made_.recorded = true;
    made_.name = traces_.front().file;
    if (!step_.name.empty()) made_.name += ", " + step_.name;
    for (std::size_t trace = 0; trace < traces_.size(); ++trace)
      tasks_.push_back(rank_tasks(traces_[trace], step_.windows[trace]));
    made_.groups = groups_.groups;
    made_.remarks = groups_.remarks;
  }

  Workload workload() {
    order_.resize(traces_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t left, std::size_t right) {
      return ranks_[left] < ranks_[right];
    });
    place_.resize(traces_.size());
    for (std::size_t place = 0; place < order_.size(); ++place)
      place_[order_[place]] = static_cast<std::int32_t>(place);
    set_clocks();
    for (const std::size_t trace : order_) add_rank(trace);
    made_.infos = std::move(infos_.all());
    complete_groups(made_);
    note_arrivals(made_);
    say_what_is_missing();
    return std::move(made_);
  }

 private:
  const TraceEvent& event(std::size_t trace, const TaskDraft& draft) const {
    return traces_[trace].events[static_cast<std::size_t>(draft.event)];
  }
  const RecordedCommunication* communication(std::size_t trace, const TraceEvent& of) const {
    if (!is_communication(traces_[trace], of)) return nullptr;
    return &traces_[trace].communications[static_cast<std::size_t>(of.facts)];
  }

  // Traces count from zeroes of their own; the clocks of their hosts may be apart.
  void set_clocks() {
    const std::int64_t first_zero = traces_.front().zero_nanoseconds;
    shifts_.assign(traces_.size(), 0);
    for (std::size_t trace = 0; trace < traces_.size(); ++trace)
      shifts_[trace] = saturating_sum(traces_[trace].zero_nanoseconds, -first_zero);
    const auto corrections = clock_corrections(traces_.size(), meeting_ends());
    std::int64_t most = 0;
    bool lonely = false;
    for (std::size_t trace = 0; trace < traces_.size(); ++trace) {
      const std::int64_t by = corrections[trace].value_or(0);
      lonely = lonely || (trace > 0 && !connected_[trace]);
      if (std::abs(by) <= clock_tolerance) continue;
      shifts_[trace] = saturating_sum(shifts_[trace], by);
      most = std::max(most, std::abs(by));
    }
    if (most > 0)
      made_.remarks.push_back({fmt::format(
          "Clocks were up to {} us apart and are set by the ends of collectives", most / 1000)});
    if (lonely)
      made_.remarks.push_back(
          {"Some ranks share no collective with others: their clocks are taken "
           "as they are"});
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    for (std::size_t trace = 0; trace < traces_.size(); ++trace)
      if (!tasks_[trace].drafts.empty())
        begin = std::min(begin, first_start(trace) + shifts_[trace]);
    begin_ = begin == std::numeric_limits<std::int64_t>::max() ? 0 : begin;
  }

  // Where a step has a range of its own it begins with that.
  std::int64_t first_start(std::size_t trace) const {
    if (!step_.name.empty()) return step_.windows[trace].from;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const TaskDraft& draft : tasks_[trace].drafts) first = std::min(first, draft.start);
    return first;
  }

  std::vector<std::vector<MeetingEnd>> meeting_ends() {
    std::map<CallKey, std::vector<MeetingEnd>> found;
    for (std::size_t trace = 0; trace < traces_.size(); ++trace) {
      CallKeys keys(groups_, ranks_, trace);
      for (const TaskDraft& draft : tasks_[trace].drafts)
        if (const auto* const of = communication(trace, event(trace, draft)))
          if (const auto key = keys.next(*of))
            found[*key].push_back({static_cast<std::int32_t>(trace), draft.end + shifts_[trace]});
    }
    std::vector<std::vector<MeetingEnd>> meetings;
    connected_.assign(traces_.size(), false);
    for (auto& [key, ends] : found)
      if (!key.message && ends.size() > 1) {
        for (const MeetingEnd& each : ends) connected_[static_cast<std::size_t>(each.trace)] = true;
        meetings.push_back(std::move(ends));
      }
    return meetings;
  }

  void add_rank(std::size_t trace) {
    WorkloadRank& rank = made_.ranks.emplace_back();
    rank.rank = Rank{ranks_[trace]};
    rank.role = fmt::format("rank {}", ranks_[trace]);
    rank.host = traces_[trace].host;
    name_lanes(trace);
    CallKeys keys(groups_, ranks_, trace);
    infos_.begin(traces_[trace], trace);
    for (const TaskDraft& draft : tasks_[trace].drafts)
      rank.add(task_of(trace, draft, rank, keys), draft.after);
  }

  // Streams keep their names; threads, whose numbers differ from rank to rank, are counted in the
  // order in which they began.
  void name_lanes(std::size_t trace) {
    lane_of_row_.assign(traces_[trace].rows.size(), -1);
    std::map<std::int32_t, std::pair<int, int>> counts;  // by row: tasks, communicating ones
    int threads = 0;
    for (const TaskDraft& draft : tasks_[trace].drafts) {
      auto& [all, communicating] = counts[draft.row];
      ++all;
      communicating += communication(trace, event(trace, draft)) != nullptr ? 1 : 0;
    }
    for (const TaskDraft& draft : tasks_[trace].drafts) {
      std::int32_t& lane = lane_of_row_[static_cast<std::size_t>(draft.row)];
      if (lane >= 0) continue;
      const RecordedRow& row = traces_[trace].rows[static_cast<std::size_t>(draft.row)];
      const auto& [all, communicating] = counts[draft.row];
      if (row.kind == RecordedRow::Kind::thread)
        lane = lane_named(fmt::format("CPU thread {}", ++threads), LaneKind::host);
      else
        lane = lane_named(row.name,
                          2 * communicating > all ? LaneKind::communication : LaneKind::compute);
    }
  }

  std::int32_t lane_named(const std::string& name, LaneKind kind) {
    for (std::size_t lane = 0; lane < made_.lanes.size(); ++lane)
      if (made_.lanes[lane].name == name) return static_cast<std::int32_t>(lane);
    made_.lanes.push_back({kind, name});
    return static_cast<std::int32_t>(made_.lanes.size()) - 1;
  }

  Instant instant(std::size_t trace, std::int64_t nanoseconds) const {
    return Instant{(nanoseconds + shifts_[trace] - begin_) * 1000};
  }

  WorkloadTask task_of(std::size_t trace, const TaskDraft& draft, WorkloadRank& rank,
                       CallKeys& keys) {
    WorkloadTask task;
    task.start = task.moving = instant(trace, draft.start);
    task.end = instant(trace, draft.end);
    made_.end = std::max(made_.end, task.end);
    const TraceEvent& of = event(trace, draft);
    const RecordedCommunication* const communicates = communication(trace, of);
    task.info = infos_.of(of, lane_of_row_[static_cast<std::size_t>(draft.row)]);
    if (communicates == nullptr) {
      task.work = task.end - task.start;
      return task;
    }
    const auto key = keys.next(*communicates);
    if (!key) return task;
    TaskPeers peers{.type = communicates->type, .sequence = key->number};
    if (const auto kind = collective_of(communicates->kind)) {
      peers.collective = *kind;
      peers.group = key->first;
    } else {
      const bool sends = communicates->kind == CommunicationKind::send;
      peers.peer = place_[static_cast<std::size_t>(sends ? key->second : key->first)];
    }
    task.peers = static_cast<std::int32_t>(rank.peers.size());
    rank.peers.push_back(peers);
    return task;
  }

  void say_what_is_missing() {
    std::int64_t inferred = 0, without_launch = 0;
    bool events = true;
    for (const RankTasks& tasks : tasks_) {
      inferred += tasks.inferred;
      without_launch += tasks.without_launch;
      events = events && tasks.tells_of_events;
    }
    if (without_launch > 0)
      made_.remarks.push_back(
          {fmt::format("{} kernels and copies have no recorded launch", without_launch)});
    if (!events)
      made_.remarks.push_back({fmt::format(
          "The traces do not tell which streams wait for which events: {} dependencies are told by "
          "times alone",
          inferred)});
    std::map<std::string, std::int64_t> left_out;
    for (const RankTrace& trace : traces_)
      for (const LeftOut& each : trace.left_out) left_out[each.what] += each.count;
    for (const auto& [what, count] : left_out)
      made_.remarks.push_back({fmt::format("{} {} were left out", count, what)});
  }

  std::vector<RankTrace> traces_;
  ChosenStep step_;
  std::vector<int> ranks_;
  JobGroups groups_;
  Workload made_;
  std::vector<RankTasks> tasks_;           // per trace
  std::vector<std::size_t> order_;         // traces by rank
  std::vector<std::int32_t> place_;        // per trace: of its rank among the workload's
  std::vector<std::int64_t> shifts_;       // per trace: what is added to its times
  std::vector<bool> connected_;            // per trace: by a collective with another
  std::int64_t begin_ = 0;                 // of the step
  std::vector<std::int32_t> lane_of_row_;  // of the rank at hand
  TaskInfos infos_{groups_};
};

}  // namespace

Result<Workload> workload_of(std::vector<RankTrace> traces, const std::string& step) {
  std::vector<WorkloadRemark> remarks;
  std::vector<int> ranks;
  if (const auto error = name_ranks(traces, ranks, remarks)) return *error;
  Result<ChosenStep> chosen = chosen_step(traces, step);
  if (!chosen) return chosen.error();
  const int world_size = world_size_of(traces, ranks);
  const std::string file = traces.front().file;
  Workload made =
      Job(std::move(traces), std::move(*chosen), std::move(ranks), world_size).workload();
  if (std::all_of(made.ranks.begin(), made.ranks.end(),
                  [](const WorkloadRank& rank) { return rank.tasks.empty(); }))
    return Error{file,
                 "records no work of a GPU and no call that launches any in that step: there is "
                 "nothing to replay (was the GPU's activity switched on in the profiler?)"};
  made.remarks.insert(made.remarks.begin(), remarks.begin(), remarks.end());
  return made;
}

}  // namespace quintet
