#include "sim/search/judging.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/simulate/evaluation.h"
#include "sim/simulate/step_numbers.h"
#include "sim/training_run/run_length.h"

namespace quintet {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// A bound's objective; infinite where even then a limit is exceeded.
double objective_of_bound(const WorthBase& base, Seconds bound) {
  return objective_of(base, bound, {}).value_or(never);
}

class PieceJudge {
 public:
  PieceJudge(const SearchQuestion& question, const Piece& piece, CandidateEvaluator& evaluator)
      : candidates_(question.candidates),
        piece_(piece),
        group_(candidates_.groups()[piece.group]),
        draft_(candidates_.draft_of(group_)),
        base_(worth_base(question, draft_, group_.machine)),
        evaluator_(evaluator),
        best_(piece.keep) {}

  PieceOutcome all(const std::atomic<bool>& stop) {
    for (std::uint64_t leaf = piece_.begin; leaf < piece_.end; ++leaf) {
      if (stop.load(std::memory_order_relaxed)) {
        outcome_.whole = false;
        break;
      }
      judge(leaf);
    }
    outcome_.found = best_.all();
    return std::move(outcome_);
  }

 private:
  void judge(std::uint64_t leaf) {
    candidates_.take_leaf(group_, leaf, draft_);
    const double bound = objective_of_bound(base_, evaluator_.bound(draft_.plan));
    if (bound == never) return count(outcome_.counts.beyond);
    if (bound > std::min(piece_.limit, best_.worst())) return count(outcome_.counts.bounded);
    if (!fits()) return count(outcome_.counts.too_large);
    const Result<StepEstimate> estimate = step_of();
    if (!estimate) return fail(estimate.error());
    const auto objective = objective_of(base_, estimate->step, estimate->compute);
    if (!objective) return count(outcome_.counts.beyond);
    best_.add({*objective, candidates_.number_of(group_, leaf), *estimate, group_.machine});
  }

  // Of layers 2 to 5 only the bucket matters to it.
  bool fits() {
    const Bytes bucket = draft_.plan.ccl.bucket;
    for (const auto& [known, answer] : fitting_)
      if (known == bucket) return answer;
    const bool answer = quintet::fits(evaluator_.memory(draft_.plan), base_.wanted.headroom);
    return fitting_.emplace_back(bucket, answer).second;
  }

  Result<StepEstimate> step_of() {
    if (piece_.by == JudgedBy::estimate) {
      Result<StepEstimate> estimate = evaluator_.estimate(draft_.plan);
      count(estimate ? outcome_.counts.estimated : outcome_.counts.uncovered);
      if (estimate) return estimate;
    }
    count(outcome_.counts.simulated);
    return evaluator_.simulate(draft_.plan);
  }

  static void count(std::uint64_t& counter) { ++counter; }
  void fail(const Error& error) {
    ++outcome_.counts.failed;
    if (outcome_.failure.empty()) outcome_.failure = error.text();
  }

  const Candidates& candidates_;
  const Piece& piece_;
  const CandidateGroup& group_;
  Draft draft_;
  WorthBase base_;
  CandidateEvaluator& evaluator_;
  BestList best_;
  PieceOutcome outcome_;
  std::vector<std::pair<Bytes, bool>> fitting_;
};

}  // namespace

SearchCounts& SearchCounts::operator+=(const SearchCounts& other) {
  bounded += other.bounded;
  too_large += other.too_large;
  beyond += other.beyond;
  estimated += other.estimated;
  uncovered += other.uncovered;
  simulated += other.simulated;
  failed += other.failed;
  return *this;
}

WorthBase worth_base(const SearchQuestion& question, const Draft& draft, std::size_t machine) {
  const SearchMachine& on = question.candidates.machines()[machine];
  const Model& model = question.candidates.model();
  PredictOptions options;
  options.compile = on.compile;
  WorthBase base{question.wanted, question.bills[machine], {}, draft.plan.run, 1.0, {}};
  base.numbers = step_numbers(model, draft.plan, {}, on.topology, options);
  base.samples = samples_of_step(draft.plan);
  base.state = checkpoint_size(model, draft.plan.parallelism);
  return base;
}

PieceOutcome judged(const SearchQuestion& question, const Piece& piece,
                    ThreadEvaluators& evaluators, const std::atomic<bool>& stop) {
  const std::uint32_t machine = question.candidates.groups()[piece.group].machine;
  return PieceJudge(question, piece, evaluators.of(machine)).all(stop);
}

Result<std::optional<Found>> simulated(const SearchQuestion& question, std::uint64_t number,
                                       ThreadEvaluators& evaluators) {
  const Result<Draft> draft = question.candidates.draft_of(number);
  if (!draft) return draft.error();
  const auto machine = static_cast<std::size_t>(question.candidates.machine_of(number));
  const Result<StepEstimate> estimate = evaluators.of(machine).simulate(draft->plan);
  if (!estimate) return estimate.error();
  const WorthBase base = worth_base(question, *draft, machine);
  const auto objective = objective_of(base, estimate->step, estimate->compute);
  if (!objective) return std::optional<Found>();
  return std::optional(Found{*objective, number, *estimate, static_cast<std::uint32_t>(machine)});
}

GroupBound bound_of(const SearchQuestion& question, const CandidateGroup& group,
                    ThreadEvaluators& evaluators) {
  const Candidates& candidates = question.candidates;
  Draft draft = candidates.draft_of(group);
  CandidateEvaluator& evaluator = evaluators.of(group.machine);
  GroupBound bound{never, false};
  for (const std::uint64_t leaf : candidates.unlike_in_bucket(group)) {
    candidates.take_leaf(group, leaf, draft);
    bound.fits = bound.fits || fits(evaluator.memory(draft.plan), question.wanted.headroom);
  }
  if (!bound.fits) return bound;
  const WorthBase base = worth_base(question, draft, group.machine);
  for (const std::uint64_t leaf : candidates.unlike_in_launch(group)) {
    candidates.take_leaf(group, leaf, draft);
    bound.least = std::min(bound.least, objective_of_bound(base, evaluator.floor(draft.plan)));
  }
  return bound;
}

}  // namespace quintet
