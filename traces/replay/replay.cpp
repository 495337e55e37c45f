#include "traces/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/simulate/folded_walk.h"
#include "traces/replay/recorded_communications.h"
#include "traces/replay/recorded_program.h"

namespace quintet {

namespace {

// Nothing but the recorded and the priced times counts: launches cost nothing, and all may be
// issued at once.
CostTable no_costs() {
  CostTable none;
  none.launch.queue = std::numeric_limits<int>::max() / 2;
  return none;
}

constexpr Bandwidth unbounded{1e30};

CommunicationPrice as_recorded(const RecordedMeeting& meeting) {
  CommunicationPrice price;
  price.latency = seconds(std::max(Duration{}, meeting.work));
  price.flight = seconds(meeting.flight);
  price.bound = unbounded;
  return price;
}

// What each meeting takes in a walk: of a message until its receiver has it.
std::vector<Duration> walked_times(const RecordedTimes& times, const Timeline& timeline) {
  std::vector<Instant> moving(times.meetings.size()), end(times.meetings.size());
  for (const Span& span : timeline.spans) {
    const auto rank = static_cast<std::size_t>(span.track);
    const std::int32_t meeting = times.meeting_of[rank][static_cast<std::size_t>(span.info)];
    if (meeting < 0) continue;
    const auto number = static_cast<std::size_t>(meeting);
    moving[number] = std::max(moving[number], span.moving);
    end[number] = std::max(end[number], span.end);
  }
  std::vector<Duration> taken;
  for (std::size_t i = 0; i < end.size(); ++i) taken.push_back(end[i] - moving[i]);
  return taken;
}

class Replaying {
 public:
  Replaying(const Workload& workload, const ReplayOptions& options)
      : workload_(workload),
        options_(options),
        times_(recorded_times(workload)),
        changed_(change_kernels(workload, {options.kernels, options.gpu}, times_)),
        recorded_(recorded_program(workload, times_)) {}

  Result<Replay> replayed() {
    if (options_.on) {
      if (const auto error = price()) return *error;
    } else {
      if (const auto error = without_times()) return *error;
      for (const RecordedMeeting& meeting : times_.meetings)
        priced_.prices.push_back(as_recorded(meeting));
    }
    Result<Execution> execution = walk(options_.progress);
    if (!execution) return execution.error();
    return replay_of(std::move(*execution));
  }

 private:
  std::optional<Error> without_times() const {
    for (const RecordedMeeting& meeting : times_.meetings)
      if (meeting.work < Duration{})
        return Error{workload_.name,
                     "says who communicates, not how long it takes: name a machine (--topology)"};
    return std::nullopt;
  }

  std::optional<Error> price() {
    if (options_.recorded_on && workload_.recorded) {
      if (const auto error = take_excess(*options_.recorded_on)) return error;
    }
    Result<MeetingPrices> on = meeting_prices(workload_, times_, *options_.on, options_.replicas);
    if (!on) return on.error();
    priced_ = std::move(*on);
    for (std::size_t i = 0; i < excess_.size(); ++i) add_excess(priced_.prices[i], i);
    return std::nullopt;
  }

  // What meetings took longer, or by which factor less, than the model says of the machine that
  // they were recorded on, beside all that moved there at the same time.
  std::optional<Error> take_excess(const ReplayMachine& machine) {
    Result<MeetingPrices> known = meeting_prices(workload_, times_, machine);
    if (!known) return known.error();
    priced_ = std::move(*known);
    const Result<Execution> execution = walk({});
    if (!execution) return execution.error();
    const Timeline walked = as_tasks(execution->timeline);
    const std::vector<Duration> modelled = walked_times(times_, walked);
    for (std::size_t i = 0; i < times_.meetings.size(); ++i) {
      const RecordedMeeting& meeting = times_.meetings[i];
      excess_.push_back(seconds(meeting.work + meeting.flight) - seconds(modelled[i]));
      shares_.push_back(modelled[i] > Duration{}
                            ? seconds(meeting.work + meeting.flight) / seconds(modelled[i])
                            : 1.0);
    }
    return std::nullopt;
  }

  void add_excess(CommunicationPrice& price, std::size_t meeting) const {
    if (excess_[meeting] >= Seconds{}) {
      price.latency += excess_[meeting];
      return;
    }
    const double share = std::max(shares_[meeting], 1e-6);
    price.latency = price.latency * share;
    price.flight = price.flight * share;
    price.bound = price.bound / share;
    for (PhaseLoad& phase : price.phases)
      for (Usage& use : phase.uses) use.per_unit = on_grid(use.per_unit * share);
  }

  Result<Execution> walk(const std::function<void(double)>& progress) const {
    const Communications all = recorded_communications(recorded_, times_, priced_);
    const CostTable costs = no_costs();
    const Plan plan;
    PredictOptions predicting;
    predicting.folding = Folding::none;
    predicting.progress = progress;
    return walk_folded({recorded_.program, plan, costs, all}, predicting);
  }

  // The walk's spans as the workload's tasks; pauses are not shown. What waits inside began when
  // its lane was free.
  Timeline as_tasks(const Timeline& walked) const {
    const std::vector<std::int32_t> first = first_instructions();
    Timeline shown{.lanes = walked.lanes, .end = walked.end};
    std::vector<Instant> free(workload_.lanes.size());
    std::int32_t track = -1;
    std::size_t begin = 0;
    for (const Span& span : walked.spans) {
      if (span.track != std::exchange(track, span.track)) {
        sort_by_start(shown.spans, std::exchange(begin, shown.spans.size()));
        free.assign(free.size(), Instant{});
      }
      const auto rank =
          static_cast<std::size_t>(walked.tracks[static_cast<std::size_t>(span.track)].rank.value);
      const auto lane =
          static_cast<std::size_t>(walked.infos[static_cast<std::size_t>(span.info)].lane);
      const std::int32_t task =
          recorded_.tasks[rank][static_cast<std::size_t>(span.info - first[rank])];
      const Instant was_free = std::exchange(free[lane], span.end);
      if (task < 0) continue;
      Span& as_task = shown.spans.emplace_back(span);
      if (times_.late[rank][static_cast<std::size_t>(task)])
        as_task.start = std::min(span.start, was_free);
      as_task.info = task;
      as_task.track = static_cast<std::int32_t>(rank);
    }
    sort_by_start(shown.spans, begin);
    return shown;
  }

  static void sort_by_start(std::vector<Span>& spans, std::size_t begin) {
    std::stable_sort(spans.begin() + static_cast<std::ptrdiff_t>(begin), spans.end(),
                     [](const Span& left, const Span& right) { return left.start < right.start; });
  }

  std::vector<std::int32_t> first_instructions() const {
    std::vector<std::int32_t> first{0};
    for (const Body& body : recorded_.program.bodies)
      first.push_back(first.back() + static_cast<std::int32_t>(body.instructions.size()));
    return first;
  }

  Replay replay_of(Execution execution) const {
    Replay made;
    Timeline walked = as_tasks(execution.timeline);
    Timeline& shown = made.timeline;
    shown = timeline_of(workload_);
    shown.name = workload_.name + ", replayed";
    shown.measurement.reset();
    shown.host_gaps.clear();
    shown.end = walked.end;
    for (Track& track : shown.tracks) track.ranks = options_.replicas;
    made.changed_kernels = changed_;
    made.rank_ends.resize(workload_.ranks.size());
    std::vector<std::vector<std::int32_t>> tasks_of_spans(workload_.ranks.size());
    for (Span& span : walked.spans) {
      const auto rank = static_cast<std::size_t>(span.track);
      tasks_of_spans[rank].push_back(span.info);
      const WorkloadTask& task = workload_.ranks[rank].tasks[static_cast<std::size_t>(span.info)];
      made.rank_ends[rank] = std::max(made.rank_ends[rank], span.end - Instant{});
      span = {task.info,  span.track,       span.start, span.moving, span.end,
              task.layer, task.micro_batch, task.chunk, task.bucket, span.flow};
    }
    shown.spans = std::move(walked.spans);
    if (options_.replicas == 1) shown.causes = causes_of(workload_, tasks_of_spans);
    made.loads = std::move(execution.loads);
    if (options_.on)  // core pools stand behind the machine's links
      std::erase_if(made.loads, [&](const LinkLoad& load) {
        return load.shown.index() >= options_.on->topology->links.size();
      });
    made.remarks = workload_.remarks;
    made.remarks.insert(made.remarks.end(), times_.remarks.begin(), times_.remarks.end());
    count(made);
    return made;
  }

  void count(Replay& made) const {
    made.meetings = static_cast<std::int64_t>(times_.meetings.size());
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank) {
      made.tasks += static_cast<std::int64_t>(workload_.ranks[rank].tasks.size());
      for (const Duration pause : times_.pause[rank]) made.pauses += pause;
    }
  }

  const Workload& workload_;
  const ReplayOptions& options_;
  RecordedTimes times_;
  std::vector<std::int64_t> changed_;
  RecordedProgram recorded_;
  MeetingPrices priced_;
  std::vector<Seconds> excess_;  // per meeting, where it is known
  std::vector<double> shares_;
};

}  // namespace

Result<Replay> replay(const Workload& workload, const ReplayOptions& options) {
  return Replaying(workload, options).replayed();
}

std::vector<Duration> recorded_ends(const Workload& workload) {
  std::vector<Duration> ends;
  for (const WorkloadRank& rank : workload.ranks) {
    Duration last;
    for (const WorkloadTask& task : rank.tasks) last = std::max(last, task.end - Instant{});
    ends.push_back(last);
  }
  return ends;
}

}  // namespace quintet
