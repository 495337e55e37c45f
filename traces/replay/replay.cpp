#include "traces/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/simulate/folded_walk.h"
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

bool is_product(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::qkv_projection:
    case OperatorKind::attention:
    case OperatorKind::attention_output:
    case OperatorKind::mlp_up:
    case OperatorKind::mlp_down:
    case OperatorKind::head:
    case OperatorKind::product:
      return true;
    case OperatorKind::embedding:
    case OperatorKind::norm:
    case OperatorKind::qk_norm:
    case OperatorKind::rotary:
    case OperatorKind::residual:
    case OperatorKind::mlp_activation:
    case OperatorKind::cross_entropy:
    case OperatorKind::gradient_scale:
    case OperatorKind::gradient_norm:
    case OperatorKind::gradient_clip:
    case OperatorKind::gradient_add:
    case OperatorKind::optimizer_update:
    case OperatorKind::cast:
    case OperatorKind::presort:
    case OperatorKind::compress:
    case OperatorKind::decompress:
    case OperatorKind::kernel:
    case OperatorKind::stage_total:
      return false;
  }
  return false;
}

double factor_of(const GpuChange& change, OperatorKind kind) {
  return is_product(kind) ? change.products : change.others;
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
        changed_(change_kernels()),
        recorded_(recorded_program(workload, times_)) {}

  Result<Replay> replayed() {
    if (options_.on) {
      if (const auto error = price()) return *error;
    } else {
      if (const auto error = without_times()) return *error;
      for (const RecordedMeeting& meeting : times_.meetings)
        prices_.push_back(as_recorded(meeting));
    }
    Result<Execution> execution = walk(options_.progress);
    if (!execution) return execution.error();
    return replay_of(std::move(*execution));
  }

 private:
  std::vector<std::int64_t> change_kernels() {
    std::vector<std::int64_t> changed(options_.kernels.size(), 0);
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank)
      for (std::size_t task = 0; task < workload_.ranks[rank].tasks.size(); ++task) {
        const SpanInfo& info =
            workload_.infos[static_cast<std::size_t>(workload_.ranks[rank].tasks[task].info)];
        if (info.kind != SpanKind::compute) continue;
        double factor = options_.gpu ? factor_of(*options_.gpu, info.work) : 1.0;
        for (std::size_t i = 0; i < options_.kernels.size(); ++i) {
          if (info.name.find(options_.kernels[i].name) == std::string::npos) continue;
          factor *= options_.kernels[i].factor;
          ++changed[i];
        }
        if (factor != 1.0)
          times_.work[rank][task] = duration(seconds(times_.work[rank][task]) * factor);
      }
    return changed;
  }

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
    take(std::move(*on));
    for (std::size_t i = 0; i < excess_.size(); ++i) add_excess(prices_[i], i);
    return std::nullopt;
  }

  void take(MeetingPrices priced) {
    prices_ = std::move(priced.prices);
    links_ = std::move(priced.links);
    details_ = std::move(priced.details);
  }

  // What meetings took longer, or by which factor less, than the model says of the machine that
  // they were recorded on, beside all that moved there at the same time.
  std::optional<Error> take_excess(const ReplayMachine& machine) {
    Result<MeetingPrices> known = meeting_prices(workload_, times_, machine);
    if (!known) return known.error();
    take(std::move(*known));
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

  Communications communications_of_program() const {
    Communications all;
    const Program& program = recorded_.program;
    all.patterns.resize(program.communicators.size());
    all.collectives.resize(program.communicators.size());
    for (std::size_t each = 0; each < program.communicators.size(); ++each) {
      all.groups.push_back({members_of(program.communicators[each])});
      for (const std::int32_t meeting : recorded_.collectives[each]) {
        const RecordedMeeting& met = times_.meetings[static_cast<std::size_t>(meeting)];
        all.patterns[each].push_back(
            {Collective{met.collective, id_at<CommunicatorId>(each), met.size, met.type,
                        Purpose::exchange, static_cast<std::int32_t>(all.patterns[each].size())}});
        all.collectives[each].push_back({prices_[static_cast<std::size_t>(meeting)]});
      }
    }
    add_messages(all);
    all.links = links_;
    all.details = details_;
    if (all.details.empty()) all.details.emplace_back("as recorded");
    return all;
  }

  static std::vector<Rank> members_of(const Communicator& communicator) {
    std::vector<Rank> members;
    for (const int stage : communicator.stages) members.push_back(Rank{stage});
    return members;
  }

  // Every sender has a price of every pattern, though one alone sends it.
  void add_messages(Communications& all) const {
    const auto ranks = static_cast<int>(workload_.ranks.size());
    for (const std::int32_t meeting : recorded_.messages) {
      const RecordedMeeting& met = times_.meetings[static_cast<std::size_t>(meeting)];
      const int from = met.members[0].rank, offset = met.members[1].rank - from;
      all.message_patterns.push_back({Axis::pipeline, offset, met.size, Memory::device});
      auto& prices = all.messages.emplace_back(static_cast<std::size_t>(ranks));
      prices[static_cast<std::size_t>(from)] = prices_[static_cast<std::size_t>(meeting)];
      auto& receivers = all.receivers.emplace_back();
      for (int rank = 0; rank < ranks; ++rank)
        receivers.push_back(Rank{((rank + offset) % ranks + ranks) % ranks});
    }
  }

  Result<Execution> walk(const std::function<void(double)>& progress) const {
    const Communications all = communications_of_program();
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
    for (Span& span : walked.spans) {
      const auto rank = static_cast<std::size_t>(span.track);
      const WorkloadTask& task = workload_.ranks[rank].tasks[static_cast<std::size_t>(span.info)];
      made.rank_ends[rank] = std::max(made.rank_ends[rank], span.end - Instant{});
      span = {task.info,  span.track,       span.start, span.moving, span.end,
              task.layer, task.micro_batch, task.chunk, task.bucket, span.flow};
    }
    shown.spans = std::move(walked.spans);
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
  std::vector<CommunicationPrice> prices_;  // per meeting
  std::vector<LinkShare> links_;
  std::vector<std::string> details_;
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
