#include "sim/analytic/analytic_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/analytic/communication_pieces.h"
#include "sim/analytic/covered.h"
#include "sim/analytic/layer_pieces.h"
#include "sim/analytic/long_pipeline.h"
#include "sim/analytic/piece_key.h"
#include "sim/analytic/piece_plan.h"
#include "sim/analytic/step_bound.h"
#include "sim/analytic/step_key.h"
#include "sim/analytic/step_walk.h"
#include "sim/compile/plan_memory.h"
#include "sim/parallelism/pipeline_order.h"

namespace quintet {

namespace {

using Orders = std::vector<PassOrder>;

bool has_order_of_its_own(const Parallelism& parallelism) {
  return !parallelism.warm_ups.empty() || !parallelism.stage_times.empty();
}

bool has_memory_of_its_own(const Parallelism& parallelism) {
  return has_order_of_its_own(parallelism) || !is_plain(parallelism.replicator) ||
         parallelism.offload != Offload{} || parallelism.samples.vary();
}

// What the memory of a plan without lists depends on; `deal` tells how its stages have layers.
PieceKey memory_key(const Plan& plan, int deal) {
  const Parallelism& p = plan.parallelism;
  return PieceKey(
      deal, p.tensor, p.pipeline, p.data, p.sequence_parallel, static_cast<int>(p.sharding),
      p.sharding_group, static_cast<int>(p.schedule), p.virtual_stages, p.split_backward,
      p.sequence_length, p.micro_batch, p.micro_batches, static_cast<int>(p.recompute),
      p.recompute_layers, static_cast<int>(p.attention), static_cast<int>(p.compute_type),
      static_cast<int>(p.float8.scaling), static_cast<int>(p.gradient_type), p.master_weights,
      static_cast<int>(p.moment_type), static_cast<int>(p.optimizer), static_cast<int>(p.clipping));
}

// So many micro-batches show what each further one adds, in schedules that go on evenly; all where
// that is no less. `patience`: how many more than usual are looked at.
int walked_micro_batches(const Parallelism& parallelism, int patience) {
  const int stages = parallelism.pipeline, all = parallelism.micro_batches;
  const auto at_most = [&](int few) { return few < all ? few : all; };
  // A pipeline that stands for a longer one need not have what divides by its stages.
  const auto whole_groups = [&](int count) { return (count + stages - 1) / stages * stages; };
  switch (parallelism.schedule) {
    case PipelineSchedule::gpipe:
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zb_h1:
      return at_most(stages + 4 * patience);
    case PipelineSchedule::zb_h2:
      return at_most(2 * stages + 4 * patience);
    case PipelineSchedule::interleaved:
      return whole_groups(at_most((4 + patience) * stages));
    case PipelineSchedule::warm_up:
    case PipelineSchedule::adapted:
      return all;
  }
  return all;
}

// What every micro-batch leaves waits for the last one: then the end of the step grows with their
// number.
bool ends_with_all_exchanges(const Plan& plan) {
  const bool every_time = plan.parallelism.sharding == Sharding::gradients ||
                          plan.parallelism.sharding == Sharding::parameters;
  return every_time &&
         (!plan.ccl.overlap_gradients || plan.parallelism.clipping == Clipping::before_reduction);
}

// So many times what lies between two walks more.
WalkedStep gone_on(WalkedStep more, const WalkedStep& less, double times) {
  const auto go_on = [&](double& to, double from) { to += times * (to - from); };
  go_on(more.end, less.end);
  for (std::size_t stage = 0; stage < more.stages.size(); ++stage) {
    TimeSpent& spent = more.stages[stage];
    go_on(spent.compute, less.stages[stage].compute);
    go_on(spent.bubble, less.stages[stage].bubble);
    for (std::size_t axis = 0; axis < axis_count; ++axis)
      go_on(spent.exposed[axis], less.stages[stage].exposed[axis]);
  }
  return more;
}

}  // namespace

// Of all plans whose pieces are the same.
struct KnownStep {
  std::optional<AnalyticStep> step;  // without memory
  std::array<std::optional<double>, 2>
      least;  // without communication; with it, as groups are alike
};

struct AnalyticModel::State {
  State(const Model& the_model, const Topology& the_topology, const CostTable& the_costs,
        const CompileOptions& the_options)
      : model(the_model),
        topology(the_topology),
        costs(the_costs),
        options(the_options),
        capacity(least_memory(the_topology)),
        communications(the_topology, the_costs),
        maker(the_model, the_costs, options, communications),
        planner(the_model, the_costs, options, communications, maker) {}

  const StepPieces& pieces(const Plan& plan);
  KnownStep& known(const Plan& plan);
  double least(const Plan& plan, bool alike);
  AnalyticStep step_of(const Plan& plan);
  const Orders& orders(const Parallelism& parallelism, int micro_batches);
  WalkedStep walked(const Plan& plan);
  WalkedStep walked(const Plan& plan, const StepPieces& made);
  AnalyticMemory memory(const Plan& plan);
  bool alike(const Plan& plan) const;

  const Model& model;
  const Topology& topology;
  const CostTable& costs;
  const CompileOptions options;
  const Bytes capacity;
  CommunicationPieces communications;
  JointLinks joint;
  PieceMaker maker;
  PiecePlanner planner;
  Pieces<Orders> known_orders;
  Orders listed_orders;                         // of the last plan that has lists
  std::map<std::vector<int>, int> known_deals;  // of layers to stages
  Pieces<AnalyticMemory> memories;
  Plan last;  // whose pieces these are, and what is known of them
  std::optional<StepPieces> last_pieces;
  KnownStep* last_known = nullptr;
  std::unordered_map<StepKey, KnownStep, StepKeyHash> known_steps;
  KnownStep listed_step;  // of the last plan that has lists
};

const StepPieces& AnalyticModel::State::pieces(const Plan& plan) {
  if (last_pieces && last == plan) return *last_pieces;
  last = plan;
  last_known = nullptr;
  last_pieces.emplace(planner.pieces(plan));
  return *last_pieces;
}

// Kept for so many unlike steps, then forgotten altogether.
constexpr std::size_t most_known_steps = 1 << 17;

KnownStep& AnalyticModel::State::known(const Plan& plan) {
  const StepPieces& all = pieces(plan);
  if (last_known != nullptr) return *last_known;
  if (known_steps.size() >= most_known_steps) known_steps.clear();
  if (auto key = StepKey::of(plan, all))
    last_known = &known_steps.try_emplace(*std::move(key)).first->second;
  else
    last_known = &(listed_step = {});
  return *last_known;
}

double AnalyticModel::State::least(const Plan& plan, bool with_groups_alike) {
  std::optional<double>& least = known(plan).least[with_groups_alike ? 1 : 0];
  if (!least) least = least_step(plan, pieces(plan), with_groups_alike);
  return *least;
}

AnalyticStep AnalyticModel::State::step_of(const Plan& plan) {
  const WalkedStep all = walked(plan);
  AnalyticStep step;
  step.step = {std::max(all.end, least(plan, alike(plan)))};
  const double share = 1.0 / static_cast<double>(all.stages.size());
  for (const TimeSpent& stage : all.stages) {
    step.compute += Seconds{share * stage.compute};
    step.bubble += Seconds{share * stage.bubble};
    for (std::size_t axis = 0; axis < axis_count; ++axis)
      step.exposed[axis] += Seconds{share * stage.exposed[axis]};
  }
  Seconds told = step.compute + step.bubble;
  for (const Seconds& axis : step.exposed) told += axis;
  step.other = step.step - told;
  return step;
}

const Orders& AnalyticModel::State::orders(const Parallelism& parallelism, int micro_batches) {
  const auto made = [&] {
    Parallelism shorter = parallelism;
    shorter.micro_batches = micro_batches;
    Orders orders;
    for (int stage = 0; stage < parallelism.pipeline; ++stage)
      orders.push_back(pipeline_order(shorter, stage));
    return orders;
  };
  if (has_order_of_its_own(parallelism)) return listed_orders = made();
  const auto [found, fresh] = known_orders.try_emplace(
      PieceKey(static_cast<int>(parallelism.schedule), parallelism.pipeline, micro_batches,
               parallelism.virtual_stages, parallelism.split_backward));
  if (fresh) found->second = made();
  return found->second;
}

// A long pipeline of stages that are alike is one of few, and what each further one adds.
WalkedStep AnalyticModel::State::walked(const Plan& plan) {
  const StepPieces& all = pieces(plan);
  if (!grows_evenly(plan.parallelism, all)) return walked(plan, all);
  const auto shorter = [&](int stages) {
    Plan few = plan;
    few.parallelism.pipeline = stages;
    return walked(few, shortened(all, static_cast<std::size_t>(stages)));
  };
  const auto [more, less] = shorter_pipelines(plan.parallelism);
  return lengthened(shorter(more), shorter(less), plan.parallelism.pipeline);
}

WalkedStep AnalyticModel::State::walked(const Plan& plan, const StepPieces& made) {
  const auto of = [&](int micro_batches) {
    return StepWalk(plan, costs, options, made, orders(plan.parallelism, micro_batches),
                    micro_batches, joint)
        .run();
  };
  const int period =
      plan.parallelism.schedule == PipelineSchedule::interleaved ? plan.parallelism.pipeline : 1;
  const auto periods_from = [&](int few) {
    return static_cast<double>(plan.parallelism.micro_batches - few) / period;
  };
  if (ends_with_all_exchanges(plan)) {
    const int few = walked_micro_batches(plan.parallelism, 2);
    if (few == plan.parallelism.micro_batches) return of(few);
    return gone_on(of(few), of(few - period), periods_from(few));
  }
  for (int patience = 1;; patience *= 4) {
    const int few = walked_micro_batches(plan.parallelism, patience);
    StepWalk walk(plan, costs, options, made, orders(plan.parallelism, few), few, joint);
    const WalkedStep walked = walk.run();
    if (few == plan.parallelism.micro_batches) return walked;
    const bool all = few > plan.parallelism.micro_batches;
    if (const auto whole = walk.prolonged(walked, all)) return *whole;
    // Between two whole groups of micro-batches, each of which has too few to go on evenly.
    if (all) return gone_on(walked, of(few - period), periods_from(few));
  }
}

AnalyticMemory AnalyticModel::State::memory(const Plan& plan) {
  const auto made = [&] {
    AnalyticMemory memory{{}, capacity, true};
    for (const StageMemory& stage : stage_memory(model, plan, compile_options(costs, options)))
      memory.memory = std::max(memory.memory, total(rank_memory(stage, plan.parallelism, costs)));
    memory.fits = memory.memory <= capacity;
    return memory;
  };
  if (has_memory_of_its_own(plan.parallelism)) return made();
  const int deals = static_cast<int>(known_deals.size());
  const int deal = known_deals.try_emplace(plan.parallelism.stage_layers, deals).first->second;
  const auto [found, fresh] = memories.try_emplace(memory_key(plan, deal));
  if (fresh) found->second = made();
  return found->second;
}

// Every group of every axis sits on the machine as every other does.
bool AnalyticModel::State::alike(const Plan& plan) const {
  if (!topology.faults.empty() || !topology.held_sends.empty()) return false;
  if (topology.host_specs.size() > 1 || !plan.intra_inter.placement.empty()) return false;
  const int hosts_ranks = communications.ranks_per_host();
  int ranks = 1;
  for (const Axis axis : plan.parallelism.order) {
    ranks *= degree(plan.parallelism, axis);
    if (ranks % hosts_ranks != 0 && hosts_ranks % ranks != 0) return false;
  }
  return true;
}

AnalyticModel::AnalyticModel(const Model& model, const Topology& topology, const CostTable& costs,
                             const CompileOptions& options)
    : state_(std::make_unique<State>(model, topology, costs, compile_options(costs, options))) {}
AnalyticModel::~AnalyticModel() = default;
AnalyticModel::AnalyticModel(AnalyticModel&&) noexcept = default;

AnalyticMemory AnalyticModel::memory(const Plan& plan) {
  return state_->memory(plan);
}

Seconds AnalyticModel::bound(const Plan& plan) {
  if (not_covered(plan, state_->topology, state_->costs, state_->options)) return {};
  return {state_->least(plan, state_->alike(plan))};
}

Seconds AnalyticModel::floor(const Plan& plan) {
  if (not_covered(plan, state_->topology, state_->costs, state_->options)) return {};
  return {state_->least(plan, false)};
}

Result<AnalyticStep> AnalyticModel::step(const Plan& plan) {
  if (auto error = not_covered(plan, state_->topology, state_->costs, state_->options))
    return *error;
  std::optional<AnalyticStep>& known = state_->known(plan).step;
  if (!known) known = state_->step_of(plan);
  AnalyticStep step = *known;
  const AnalyticMemory memory = state_->memory(plan);
  step.memory = memory.memory;
  step.capacity = memory.capacity;
  step.fits = memory.fits;
  return step;
}

}  // namespace quintet
