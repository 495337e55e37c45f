#include "sim/simulate/run/faulted_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "sim/base/quantity_text.h"
#include "sim/simulate/plan_between.h"
#include "sim/simulate/run/priced_states.h"
#include "sim/simulate/run/standing_text.h"

namespace quintet {
namespace {

using Holding = std::vector<bool>;  // per fault

struct Compiled {
  Plan plan;
  Program program;
};
// A plan's steps, where replicas exchange something in some of them only those without it too.
struct Known {
  Compiled usual;
  std::optional<Compiled> between;
};
// Which of several programs, and with which faults.
struct StepKind {
  std::size_t by = 0;  // index into Runner::known_
  bool between = false;
  Holding holding;
  auto operator<=>(const StepKind&) const = default;
};

class Runner {
 public:
  Runner(const FaultedJob& job, const FaultedRunOptions& options)
      : job_(job), options_(options), clock_(job.faults.faults) {}

  Result<FaultedRun> run() {
    const int ranks = world_size(job_.plan.parallelism);
    if (const auto error = misnamed(job_.topology, job_.faults, ranks)) return *error;
    if (const auto error = take(job_.plan)) return *error;
    if (const auto error = walk_usual()) return *error;
    for (int step = 1; step <= options_.steps && !run_.end; ++step)
      if (const auto error = go(step)) return *error;
    return std::move(run_);
  }

 private:
  // Steps of the first plan while nothing is wrong.
  std::optional<Error> walk_usual() {
    for (const bool between : {false, true}) {
      between_ = between;
      if (between && !known_.front().between) break;
      const Result<const Execution*> walked = alike(Holding(job_.faults.faults.size(), false));
      if (!walked) return walked.error();
      (between ? run_.usual_between : run_.usual) = seconds((*walked)->timeline.end);
    }
    if (!known_.front().between) run_.usual_between = run_.usual;
    return std::nullopt;
  }

  const Compiled& now() const {
    const Known& known = known_[now_by_];
    return between_ && known.between ? *known.between : known.usual;
  }

  Result<Compiled> compiled(const Plan& plan) const {
    Result<Program> program =
        checked_program(job_.model, plan, job_.topology, job_.costs, options_.predict.compile);
    if (!program) return program.error();
    return Compiled{plan, std::move(*program)};
  }

  // From here on it is the plan of the next steps.
  std::optional<Error> take(const Plan& plan) {
    const auto same = [&](const Known& each) { return each.usual.plan == plan; };
    const auto found = std::find_if(known_.begin(), known_.end(), same);
    now_by_ = static_cast<std::size_t>(found - known_.begin());
    if (found != known_.end()) return std::nullopt;
    Result<Compiled> usual = compiled(plan);
    if (!usual) return usual.error();
    Known known{std::move(*usual), std::nullopt};
    if (const auto quiet = plan_between(plan)) {
      Result<Compiled> between = compiled(*quiet);
      if (!between) return between.error();
      known.between = std::move(*between);
    }
    known_.push_back(std::move(known));
    run_.plans.push_back(plan.name);
    return std::nullopt;
  }

  std::optional<Error> go(int step) {
    clock_.begin_step(step, now_);
    between_ = !has_exchange(known_[now_by_].usual.plan, step);
    RunStep record{step,
                   now_,
                   {},
                   between_ ? run_.usual_between : run_.usual,
                   {},
                   {},
                   static_cast<int>(now_by_)};
    for (const FaultTurn& turn : clock_.advance(now_))
      if (std::find(told_.begin(), told_.end(), turn) == told_.end())
        record.events.push_back(event(turn));
    const Result<const Execution*> walked = walk(record);
    if (!walked) return walked.error();
    if (run_.end) return std::nullopt;
    record.time = seconds((*walked)->timeline.end) + resending();
    if (ends_by_deadline(**walked, record)) return std::nullopt;
    now_ += record.time;
    run_.steps.push_back(record);
    if (!options_.next_plan) return std::nullopt;
    const std::optional<Plan> next = options_.next_plan(
        {step, record.began, known_[now_by_].usual.plan, now().program, (*walked)->timeline});
    return next ? take(*next) : std::nullopt;
  }

  bool begins_failure(const FaultTurn& turn) const {
    return turn.begins && job_.faults.faults[turn.fault].kind == FaultKind::fail;
  }

  // What failed in the step did not end it: whoever sent over it found another way.
  Seconds resending() const {
    const auto failed = [&](const FaultTurn& turn) { return begins_failure(turn); };
    const bool another_way = !cut_off_ && std::any_of(told_.begin(), told_.end(), failed);
    return another_way ? options_.resend_after : Seconds{};
  }

  // Since the run began: when the job has failed that waits since then, and in which these came.
  struct Patience {
    Seconds until;
    bool by_silence = false;
  };
  Patience patience(Seconds since, std::span<const FaultTurn> came) const {
    const Patience deadline{since + options_.deadline};
    if (!options_.silence) return deadline;
    Seconds cut = now_;
    for (const FaultTurn& turn : came)
      if (begins_failure(turn)) cut = std::max(cut, turn.due);
    const Seconds missed = cut + *options_.silence;
    return missed < deadline.until ? Patience{missed, true} : deadline;
  }

  RunEvent event(const FaultTurn& turn) const {
    const Seconds into{std::max(0.0, (turn.due - now_).value)};
    return {into, text(turn, job_.faults.faults)};
  }

  // With all changes that come before its end, which they move. What the events of a step are is
  // known when it has been walked with them.
  Result<const Execution*> walk(RunStep& record) {
    const std::vector<FaultTurn> turns = clock_.known();
    Result<const Execution*> walked = alike(clock_.holding());
    std::size_t taken = 0;
    while (walked) {
      const std::size_t due = turns_before(**walked, turns, taken);
      if (due == taken) break;
      taken = due;
      walked = changing(turns, taken);
    }
    if (!walked) return walked;
    told_.assign(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(taken));
    for (const FaultTurn& turn : told_) record.events.push_back(event(turn));
    record.wrong = wrong_after(turns, taken);
    if (!(*walked)->standing.empty()) stop(**walked, record);
    return walked;
  }

  // How many come before the step is over; where it stands still, those of the next time at which
  // something comes, unless the deadline is before.
  std::size_t turns_before(const Execution& walked, const std::vector<FaultTurn>& turns,
                           std::size_t taken) const {
    std::size_t count = taken;
    if (!walked.standing.empty()) {
      const Seconds since = now_ + seconds(walked.stood_still);
      const Patience left = patience(since, std::span(turns).first(taken));
      if (count == turns.size() || turns[count].due > left.until) return count;
      const Seconds next = turns[count].due;
      while (count < turns.size() && turns[count].due <= next) ++count;
      return count;
    }
    while (count < turns.size() && instant_of(turns[count]) < walked.timeline.end) ++count;
    return count;
  }

  Instant instant_of(const FaultTurn& turn) const { return Instant{} + (turn.due - now_); }

  // Nothing changes while the step runs: it is like any other with the same things wrong.
  Result<const Execution*> alike(const Holding& holding) {
    const auto [found, fresh] = alike_.try_emplace({now_by_, between_, holding});
    if (!fresh) return &found->second;
    Result<Execution> walked = walked_with({holding}, {});
    if (!walked) return walked.error();
    found->second = std::move(*walked);
    return &found->second;
  }

  Result<const Execution*> changing(const std::vector<FaultTurn>& turns, std::size_t taken) {
    std::vector<Holding> states{clock_.holding()};
    std::vector<Instant> times;
    for (std::size_t turn = 0; turn < taken; ++turn) {
      if (times.empty() || times.back() != instant_of(turns[turn])) {
        states.push_back(states.back());
        times.push_back(instant_of(turns[turn]));
      }
      states.back()[turns[turn].fault] = turns[turn].begins;
    }
    Result<Execution> walked = walked_with(states, times);
    if (!walked) return walked.error();
    changed_ = std::move(*walked);
    return &changed_;
  }

  Result<Execution> walked_with(const std::vector<Holding>& holdings,
                                const std::vector<Instant>& times) {
    std::vector<MachineState> states;
    for (const Holding& holding : holdings) {
      Result<MachineState> state = machine_state(
          job_.topology, wrong(holding), world_size(job_.plan.parallelism), options_.nic_loss);
      if (!state) return state.error();
      states.push_back(std::move(*state));
    }
    ++run_.walks;
    cut_off_ = std::any_of(states.begin(), states.end(),
                           [](const MachineState& state) { return !state.dead.empty(); });
    const Compiled& by = now();
    PricedStates priced = priced_states(by.program, by.plan, job_.topology, job_.costs, states);
    for (std::size_t turn = 0; turn < times.size(); ++turn) priced.turns[turn].at = times[turn];
    return simulate_priced({by.program, by.plan, job_.costs, priced.all, priced.turns,
                            priced.states, priced.may_stand},
                           job_.topology, options_.predict);
  }

  std::vector<Fault> wrong(const Holding& holding) const {
    std::vector<Fault> faults;
    for (std::size_t fault = 0; fault < holding.size(); ++fault)
      if (holding[fault]) faults.push_back(job_.faults.faults[fault]);
    return faults;
  }

  std::vector<std::string> wrong_after(const std::vector<FaultTurn>& turns,
                                       std::size_t taken) const {
    Holding holding = clock_.holding();
    for (std::size_t turn = 0; turn < taken; ++turn)
      holding[turns[turn].fault] = turns[turn].begins;
    std::vector<std::string> texts;
    for (const Fault& fault : wrong(holding)) texts.push_back(text(fault));
    return texts;
  }

  // Nothing brings it back before the deadline of what began first, or before hosts are missed.
  void stop(const Execution& walked, const RunStep& record) {
    const Patience end = patience(record.began + seconds(first_standing(walked.standing)), told_);
    const std::string why =
        end.by_silence
            ? fmt::format(
                  "hosts that hear nothing for {} end the job, before the "
                  "deadline of {} does",
                  rounded_text(*options_.silence), rounded_text(options_.deadline))
            : fmt::format("the deadline of {} ends the job", rounded_text(options_.deadline));
    run_.end = RunEnd{record.step, end.until, record.events,
                      fmt::format("nothing moves any more from {} into the step; {}",
                                  rounded_text(seconds(walked.stood_still)), why),
                      standing_texts(walked.standing, now().program)};
  }

  // What came back in time for the step may have come too late for one of its communications.
  bool ends_by_deadline(const Execution& walked, const RunStep& record) {
    if (record.events.empty() && record.wrong.empty()) return false;
    const Timeline& timeline = walked.timeline;
    const Span* late = nullptr;
    for (const Span& span : timeline.spans)
      if (is_communication(timeline.infos[static_cast<std::size_t>(span.info)].kind) &&
          seconds(span.end - span.start) > options_.deadline &&
          (late == nullptr || span.start < late->start))
        late = &span;
    if (late == nullptr) return false;
    const Track& track = timeline.tracks[static_cast<std::size_t>(late->track)];
    run_.end =
        RunEnd{record.step,
               record.began + seconds(late->start) + options_.deadline,
               record.events,
               fmt::format(
                   "a communication takes {}, longer than the deadline of {}, which ends the job",
                   rounded_text(seconds(late->end - late->start)), rounded_text(options_.deadline)),
               {fmt::format("rank {}: {}", track.rank.value,
                            timeline.infos[static_cast<std::size_t>(late->info)].name)}};
    return true;
  }

  const FaultedJob& job_;
  const FaultedRunOptions& options_;
  FaultClock clock_;
  Seconds now_;  // since the run began
  std::vector<Known> known_;
  std::size_t now_by_ = 0;  // index into known_
  bool between_ = false;    // the step has no exchange
  std::map<StepKind, Execution> alike_;
  Execution changed_;
  std::vector<FaultTurn> told_;  // that came in the last step: the clock learns of them after it
  bool cut_off_ = false;         // in what was walked last something had no other way
  FaultedRun run_;
};

}  // namespace

Result<FaultedRun> faulted_run(const FaultedJob& job, const FaultedRunOptions& options) {
  return Runner(job, options).run();
}

}  // namespace quintet
