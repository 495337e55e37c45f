#include "traces/workload/recorded_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "traces/workload/job_clock.h"
#include "traces/workload/job_groups.h"
#include "traces/workload/kernel_names.h"
#include "traces/workload/rank_tasks.h"
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

  // Which collective of which group, or message of which pair: the same on all that take part.
  using Key = std::tuple<bool, std::int32_t, std::int32_t, std::int64_t>;

  // Counts a rank's calls in their order.
  class Counting {
   public:
    std::int64_t next(bool message, std::int32_t first, std::int32_t second) {
      return counts_[{message, first, second}]++;
    }

   private:
    std::map<std::tuple<bool, std::int32_t, std::int32_t>, std::int64_t> counts_;
  };

  std::int32_t group_of(std::size_t trace, const RecordedCommunication& of) const {
    return of.group < 0 ? groups_.everybody
                        : groups_.of_rank[trace][static_cast<std::size_t>(of.group)];
  }

  std::int32_t trace_of_rank(int rank) const {
    for (std::size_t trace = 0; trace < ranks_.size(); ++trace)
      if (ranks_[trace] == rank) return static_cast<std::int32_t>(trace);
    return -1;
  }

  // None: with nobody that is known.
  std::optional<Key> key_of(std::size_t trace, const RecordedCommunication& of,
                            Counting& counting) const {
    if (collective_of(of.kind)) {
      const std::int32_t group = group_of(trace, of);
      if (group < 0) return std::nullopt;
      return Key{false, group, 0, counting.next(false, group, 0)};
    }
    if (of.kind != CommunicationKind::send && of.kind != CommunicationKind::receive)
      return std::nullopt;
    const std::int32_t peer = trace_of_rank(of.peer), own = static_cast<std::int32_t>(trace);
    if (of.peer < 0 || peer < 0) return std::nullopt;
    const bool sends = of.kind == CommunicationKind::send;
    const std::int32_t from = sends ? own : peer, to = sends ? peer : own;
    return Key{true, from, to, counting.next(true, from, to)};
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
    std::map<Key, std::vector<MeetingEnd>> found;
    for (std::size_t trace = 0; trace < traces_.size(); ++trace) {
      Counting counting;
      for (const TaskDraft& draft : tasks_[trace].drafts)
        if (const auto* const of = communication(trace, event(trace, draft)))
          if (const auto key = key_of(trace, *of, counting))
            found[*key].push_back({static_cast<std::int32_t>(trace), draft.end + shifts_[trace]});
    }
    std::vector<std::vector<MeetingEnd>> meetings;
    connected_.assign(traces_.size(), false);
    for (auto& [key, ends] : found)
      if (!std::get<0>(key) && ends.size() > 1) {
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
    Counting counting;
    for (const TaskDraft& draft : tasks_[trace].drafts)
      rank.add(task_of(trace, draft, rank, counting), draft.after);
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
                       Counting& counting) {
    WorkloadTask task;
    task.start = task.moving = instant(trace, draft.start);
    task.end = instant(trace, draft.end);
    made_.end = std::max(made_.end, task.end);
    const TraceEvent& of = event(trace, draft);
    const RecordedCommunication* const communicates = communication(trace, of);
    task.info = info_of(trace, of, draft, communicates);
    if (communicates == nullptr) {
      task.work = task.end - task.start;
      return task;
    }
    const auto key = key_of(trace, *communicates, counting);
    if (!key) return task;
    TaskPeers peers{.type = communicates->type, .sequence = std::get<3>(*key)};
    if (const auto kind = collective_of(communicates->kind)) {
      peers.collective = *kind;
      peers.group = std::get<1>(*key);
    } else {
      const bool sends = communicates->kind == CommunicationKind::send;
      peers.peer = place_[static_cast<std::size_t>(sends ? std::get<2>(*key) : std::get<1>(*key))];
    }
    task.peers = static_cast<std::int32_t>(rank.peers.size());
    rank.peers.push_back(peers);
    return task;
  }

  SpanKind kind_of(const TraceEvent& of, const RecordedCommunication* communicates) const {
    if (communicates != nullptr) {
      if (communicates->kind == CommunicationKind::send) return SpanKind::send;
      if (communicates->kind == CommunicationKind::receive) return SpanKind::receive;
      return SpanKind::collective;
    }
    switch (of.kind) {
      case EventKind::kernel:
        return SpanKind::compute;
      case EventKind::copy:
      case EventKind::fill:
        return SpanKind::copy;
      case EventKind::operation:
      case EventKind::launch:
      case EventKind::block:
      case EventKind::call:
      case EventKind::annotation:
      case EventKind::other:
        return SpanKind::host;
    }
    return SpanKind::host;
  }

  std::int32_t info_of(std::size_t trace, const TraceEvent& of, const TaskDraft& draft,
                       const RecordedCommunication* communicates) {
    const std::string& name = traces_[trace].names[static_cast<std::size_t>(of.name)];
    SpanInfo info{.name = name,
                  .kind = kind_of(of, communicates),
                  .lane = lane_of_row_[static_cast<std::size_t>(draft.row)]};
    if (communicates != nullptr) {
      info.name = fmt::format("{} {}", name_of(communicates->kind), short_name(name));
      info.size = std::max(Bytes{}, communicates->size);
      info.detail = communicates->detail;
      const std::int32_t group = group_of(trace, *communicates);
      if (group >= 0) info.axis = groups_.axes[static_cast<std::size_t>(group)];
    } else if (info.kind == SpanKind::copy && of.facts >= 0) {
      info.size = std::max(Bytes{}, traces_[trace].copies[static_cast<std::size_t>(of.facts)].size);
    } else if (info.kind == SpanKind::compute) {
      info.work = kind_of_kernel(name);
      info.phase =
          info.work == OperatorKind::optimizer_update ? Phase::update : phase_of(trace, of);
    }
    return number_of(info);
  }

  // Backward is what operations asked for whose forward another thread, or this one, did before.
  Phase phase_of(std::size_t trace, const TraceEvent& of) {
    if (backward_.size() <= trace) backward_.resize(traces_.size());
    auto& [known, operations] = backward_[trace];
    if (!known) {
      known = true;
      for (const TraceEvent& each : traces_[trace].events)
        if (each.kind == EventKind::operation && each.facts >= 0 && each.external >= 0 &&
            !is_communication(traces_[trace], each) &&
            traces_[trace].operations[static_cast<std::size_t>(each.facts)].forward_thread > 0)
          operations.insert(each.external);
    }
    return operations.contains(of.external) ? Phase::backward : Phase::forward;
  }

  std::int32_t number_of(const SpanInfo& info) {
    const auto key = std::tuple(info.name, info.kind, info.lane, info.size.value, info.phase,
                                info.axis, info.detail);
    const auto [found, fresh] =
        infos_.try_emplace(key, static_cast<std::int32_t>(made_.infos.size()));
    if (fresh) made_.infos.push_back(info);
    return found->second;
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
    for (const RankTrace& trace : traces_)
      for (const LeftOut& each : trace.left_out)
        made_.remarks.push_back(
            {fmt::format("{}: {} {} were left out", trace.file, each.count, each.what)});
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
  struct Backward {
    bool known = false;
    std::set<std::int64_t> operations;
  };
  std::vector<Backward> backward_;
  std::map<std::tuple<std::string, SpanKind, int, double, Phase, Axis, std::string>, std::int32_t>
      infos_;
};

}  // namespace

Result<Workload> workload_of(std::vector<RankTrace> traces, const std::string& step) {
  std::vector<WorkloadRemark> remarks;
  std::vector<int> ranks;
  if (const auto error = name_ranks(traces, ranks, remarks)) return *error;
  Result<ChosenStep> chosen = chosen_step(traces, step);
  if (!chosen) return chosen.error();
  const int world_size = world_size_of(traces, ranks);
  Workload made =
      Job(std::move(traces), std::move(*chosen), std::move(ranks), world_size).workload();
  made.remarks.insert(made.remarks.begin(), remarks.begin(), remarks.end());
  return made;
}

}  // namespace quintet
