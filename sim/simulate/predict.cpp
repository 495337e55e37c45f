#include "sim/simulate/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/base/event_queue.h"
#include "sim/base/quantity_text.h"
#include "sim/compile/step_program.h"
#include "sim/cost/file/operator_text.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/operator_source.h"
#include "sim/intra_inter/placement.h"
#include "sim/model/step_flops.h"
#include "sim/parallelism/memory.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/program/groups.h"
#include "sim/program/tasks.h"
#include "sim/simulate/evaluation.h"
#include "sim/simulate/shortened.h"
#include "sim/simulate/step_samples.h"
#include "sim/simulate/walk/rank_operators.h"

namespace quintet {

namespace {

CompileOptions compile_options(const CostTable& costs, CompileOptions options) {
  options.work = costs.stages.empty() ? WorkSource::operators : WorkSource::stage_profiles;
  return options;
}

std::string covered_types(const CostTable& costs) {
  std::string types;
  for (const GemmCosts& gemm : costs.gemm)
    if (missing_for(gemm.type, costs).empty()) types += " " + std::string(name_of(gemm.type));
  return types.empty() ? " none" : types;
}

AttentionKernel kernel_of(const Plan& plan) {
  const bool flash = plan.parallelism.attention == AttentionChoice::flash;
  return flash ? AttentionKernel::flash : AttentionKernel::unfused;
}

bool has_measured_operators(const CostTable& costs) {
  return !costs.operators.empty() || !costs.curves.empty();
}

std::optional<Error> not_covered(const Plan& plan, const CostTable& costs) {
  const std::string place = "cost table \"" + costs.name + "\"";
  const auto stages = static_cast<std::size_t>(plan.parallelism.pipeline);
  if (has_measured_operators(costs)) return std::nullopt;  // unpriced() looks at each
  if (!costs.stages.empty()) {
    if (costs.stages.size() >= stages) return std::nullopt;
    const std::string profiled = std::to_string(costs.stages.size());
    return Error{place + ": stages",
                 fmt::format("there are profiles of {} stages, the plan has {}; add the others, or "
                             "set parallelism.pipeline to {} or less",
                             profiled, stages, profiled)};
  }
  const std::string missing = missing_for(plan.parallelism.compute_type, costs, kernel_of(plan));
  if (missing.empty()) return std::nullopt;
  return Error{place, "has no costs of " + missing +
                          "; add them, or set parallelism.compute_type to a " +
                          "type it covers:" + covered_types(costs)};
}

// What the plan asks beside whole stages.
std::optional<Error> beside_profiles(const Plan& plan, const CostTable& costs) {
  if (costs.stages.empty()) return std::nullopt;
  const std::string place = "cost table \"" + costs.name + "\": stages";
  if (plan.parallelism.samples.vary())
    return Error{place,
                 "profiles of whole stages do not tell what samples of other lengths take: leave "
                 "out parallelism.samples"};
  if (!is_plain(plan.parallelism.replicator))
    return Error{place,
                 "profiles of whole stages do not tell what a replicator computes: leave out "
                 "parallelism.replicator, or name another table by --costs"};
  return std::nullopt;
}

// The plan's offload; a Program made by hand may copy without costs.
std::optional<Error> unpriced_copies(const Plan& plan, const CostTable& costs) {
  if (plan.parallelism.offload == Offload{}) return std::nullopt;
  const std::string place = "cost table \"" + costs.name + "\"";
  if (!costs.stages.empty())
    return Error{place + ": stages",
                 "profiles of whole stages do not tell what offload changes: leave out "
                 "parallelism.offload"};
  if (costs.copy.host_to_device > Bandwidth{} && costs.copy.device_to_host > Bandwidth{})
    return std::nullopt;
  return Error{place + ": copy",
               "has no rates between the host's memory and a GPU's, which parallelism.offload "
               "needs; add host_to_device and device_to_host, or leave out offload"};
}

// A curve that prices one length of a sample prices all.
std::optional<Error> unpriced(const Program& program, const CostTable& costs) {
  if (!has_measured_operators(costs)) return std::nullopt;  // not_covered() knows
  ComputeKind kind{&costs};
  if (!program.dealt.empty()) kind.samples = program.dealt.of_rank.front();
  const RankOperators operators(program);
  const std::vector<const Instruction*> instructions = all_instructions(program);
  for (std::size_t index = 0; index < instructions.size(); ++index)
    if (const auto work = operators.at(index, kind, 0); work && !is_priced(*work, costs))
      return Error{"cost table \"" + costs.name + "\": operators",
                   "has no measured time of \"" + instructions[index]->name + "\" (" +
                       operator_text(*work) + "); measure it too: quintet calibrate"};
  return std::nullopt;
}

struct Step : PricedStep {
  std::optional<PeriodsLeftOut> left_out{};
};

// One walk, and which links of the topology were presumed slack in vain.
struct Attempt {
  Result<Execution> execution;
  std::vector<bool> overfull;
  double share = 1.0;  // of the step that was walked
};

// Ends a walk that has presumed too much, once no further link is found to bind for as long as it
// took to find the last: the next walk is needed anyway, and knows more the more of them it knows.
class GivingUp {
 public:
  explicit GivingUp(const Fabric& fabric) : fabric_(fabric) {}

  bool goes_on(double share) {
    share_ = share;
    const std::size_t found = fabric_.overfull().size();
    if (found > found_) last_found_ = share;
    found_ = found;
    constexpr double least = 0.01;
    return found == 0 || share < 2 * last_found_ + least;
  }
  double share() const { return share_; }

 private:
  const Fabric& fabric_;
  std::size_t found_ = 0;
  double last_found_ = 0, share_ = 0;
};

Attempt attempt(const Step& step, const FoldedWorld& world, const PredictOptions& options) {
  EventQueue events;
  const std::unique_ptr<Fabric> fabric = row_of(options.fidelity).make(events, world.links);
  GivingUp patience(*fabric);
  const auto goes_on = [&patience](double share) { return patience.goes_on(share); };
  Attempt made{execute({step.program, step.plan, step.costs, step.all, world, events, *fabric,
                        step.changes, step.states, step.may_stand},
                       {step.left_out, options.progress, options.begins, goes_on}),
               {}};
  made.share = made.execution ? 1.0 : patience.share();
  if (made.execution) {
    made.execution->load_of_link = world.class_of_link;
    made.execution->track_of_rank = world.class_of_rank;
    made.execution->folding.slack_links = static_cast<int>(
        std::count(world.presumed_slack.begin(), world.presumed_slack.end(), true));
  }
  std::vector<bool> overfull(world.links.size(), false);
  for (const std::int32_t link : fabric->overfull())
    overfull[static_cast<std::size_t>(link)] = true;
  if (std::find(overfull.begin(), overfull.end(), true) == overfull.end()) return made;
  for (const std::int32_t link : world.class_of_link)
    made.overfull.push_back(link >= 0 && overfull[static_cast<std::size_t>(link)]);
  return made;
}

// Counts all links; core pools, of which nobody presumes anything, tell ranks apart.
bool may_presume(const Step& step, const PredictOptions& options) {
  return options.folding == Folding::equivalent && row_of(options.fidelity).watches &&
         step.all.kernels.empty() && step.changes.empty();
}

// Links that turn out to bind are many where routes are hashed onto a crowded network: then walks
// in vain cost more than they save. Counted in whole steps.
constexpr double most_walked_in_vain = 2.0, share_of_folding = 0.1;

// Without most of the steady part first, where there is one; whole where that came to no state
// again.
Attempt attempt_shorter(const Step& step, const std::optional<Shortened>& shorter,
                        const FoldedWorld& world, const PredictOptions& options) {
  if (!shorter) return attempt(step, world, options);
  const PricedStep without{shorter->program, step.plan, step.costs, step.all};
  Attempt made = attempt({without, shorter->left_out}, world, options);
  if (made.execution || !made.overfull.empty()) return made;
  return attempt(step, world, options);
}

// Neither the machine's changes nor who waits for whom in NCCL's queue are in a walk's state
// (walk/period_marks.h).
bool tells_its_state(const Step& step) {
  return step.changes.empty() && !step.may_stand &&
         step.plan.host_net.head_of_line == HeadOfLine::none;
}

Result<Execution> simulate_folded(const Step& step, const PredictOptions& options) {
  const auto walked = [](Result<Execution> execution, int walks) {
    if (execution) execution->folding.walks = walks;
    return execution;
  };
  if (options.folding == Folding::none)
    return attempt(step, fold(step.program, step.all, options.folding), options).execution;
  std::optional<Shortened> shorter;
  if (tells_its_state(step)) shorter = shortened(step.program, step.all, step.costs);
  int walks = 1;
  if (may_presume(step, options)) {
    std::vector<bool> binding(step.all.links.size(), false);
    for (double in_vain = 0; in_vain < most_walked_in_vain; ++walks) {
      const FoldedWorld world = fold_presuming_slack(step.program, step.all, binding);
      Attempt made = attempt_shorter(step, shorter, world, options);
      if (made.overfull.empty()) return walked(std::move(made.execution), walks);
      in_vain += made.share + share_of_folding;
      for (std::size_t link = 0; link < binding.size(); ++link)
        if (made.overfull[link]) binding[link] = true;
    }
  }
  const FoldedWorld world = fold(step.program, step.all, options.folding);
  return walked(attempt_shorter(step, shorter, world, options).execution, walks);
}

// Core pools stand behind the topology's links; reports are about the latter.
void drop_core_pools(const Topology& topology, Execution& execution) {
  execution.load_of_link.resize(topology.links.size());
  std::erase_if(execution.loads,
                [&](const LinkLoad& load) { return load.shown.index() >= topology.links.size(); });
}

// The first rank of each stage stands for all of them.
Rank first_rank(const Program& program, int stage) {
  for (int rank = 0; rank < world_size(program.grid); ++rank)
    if (coordinate(program.grid, Rank{rank}, Axis::pipeline) == stage) return Rank{rank};
  return Rank{};
}

Bytes fixed_memory(const Parallelism& parallelism, const CostTable& costs) {
  const int axes = (parallelism.tensor > 1 ? 1 : 0) + (parallelism.pipeline > 1 ? 1 : 0);
  return costs.framework_memory + static_cast<double>(axes) * costs.communicator_memory;
}

// The smallest GPU's: a stage's memory is compared with it wherever the stage sits.
Bytes least_memory(const Topology& topology) {
  if (topology.gpu_specs.empty()) return {};
  Bytes least = topology.gpu_specs.front().memory;
  for (const GpuSpec& gpu : topology.gpu_specs) least = std::min(least, gpu.memory);
  return least;
}

MemoryReport memory_report(const Model& model, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const CompileOptions& compile,
                           const Program& program) {
  MemoryReport report;
  report.capacity = least_memory(topology);
  for (const StageMemory& stage : stage_memory(model, plan, compile_options(costs, compile))) {
    RankMemory memory;
    memory.rank = first_rank(program, stage.stage);
    memory.stage = stage.stage;
    memory.weights = stage.weights;
    memory.gradients = stage.gradients;
    memory.optimizer = stage.optimizer;
    memory.activations = stage.activations + stage.working;
    memory.logits = stage.logits;
    memory.communication = stage.communication;
    memory.host = stage.host;
    memory.framework = fixed_memory(plan.parallelism, costs) +
                       costs.fragmentation * (stage.activations + stage.logits);
    report.ranks.push_back(memory);
  }
  return report;
}

std::string convention_text(AttentionCount count) {
  return count == AttentionCount::causal_half
             ? "Megatron-LM's count: causal attention half, logits included; dense peak"
             : "attention counted in full, logits included; dense peak";
}

// Several kinds of GPUs have the mean over the ranks, so that sums over them are right.
void take_means(const Plan& plan, const Topology& topology, StepNumbers& numbers) {
  const std::vector<DeviceId> slots =
      slots_of_ranks(topology, plan.intra_inter.placement, numbers.gpus);
  numbers.peak = {};
  numbers.gpu_power = numbers.gpu_idle_power = {};
  numbers.price = {};
  const double share = 1.0 / static_cast<double>(slots.size());
  for (const DeviceId slot : slots) {
    const int spec = topology.gpu_spec_of_host[topology.device(slot).host.index()];
    if (spec < 0) continue;
    const GpuSpec& gpu = topology.gpu_specs[static_cast<std::size_t>(spec)];
    numbers.peak += share * peak_rate(gpu, plan.parallelism.compute_type).value_or(FlopRate{});
    numbers.gpu_power += share * gpu.power;
    numbers.gpu_idle_power += share * gpu.idle_power;
    numbers.price += share * gpu.price;
  }
}

StepNumbers step_numbers(const Model& model, const Plan& plan, const DealtSamples& dealt,
                         const Topology& topology, const PredictOptions& options) {
  const Parallelism& parallelism = plan.parallelism;
  const std::int64_t sequences = global_batch(parallelism);
  const std::int64_t length = parallelism.sequence_length;
  StepNumbers numbers;
  const RecomputedPart recomputed = recomputed_part(parallelism.recompute, options.compile.fusion);
  numbers.model_flops = model_flops(model, sequences, length, options.attention);
  numbers.hardware_flops = hardware_flops(model, sequences, length, options.attention, recomputed);
  numbers.convention = convention_text(options.attention);
  numbers.tokens = sequences * length;
  if (!dealt.empty()) take_samples(model, dealt, options.attention, recomputed, numbers);
  numbers.gpus = world_size(parallelism);
  if (topology.gpu_specs.empty()) return numbers;
  const GpuSpec& gpu = topology.gpu_specs.front();
  numbers.peak = peak_rate(gpu, parallelism.compute_type).value_or(FlopRate{});
  numbers.gpu_power = gpu.power;
  numbers.gpu_idle_power = gpu.idle_power;
  numbers.price = gpu.price;
  if (topology.gpu_specs.size() > 1) take_means(plan, topology, numbers);
  const auto per_host = static_cast<double>(topology.hosts.front().gpus.size());
  numbers.hosts = static_cast<int>(std::ceil(numbers.gpus / per_host));
  numbers.host_power = topology.host_specs.front().power;
  // A job on part of the machine answers for its share of the switches.
  numbers.network_power =
      topology.network_power * (numbers.hosts / static_cast<double>(topology.hosts.size()));
  return numbers;
}

// The host of every rank shown.
void name_hosts(const Grid& grid, const Plan& plan, const Topology& topology, Timeline& timeline) {
  const std::vector<DeviceId> slots =
      slots_of_ranks(topology, plan.intra_inter.placement, world_size(grid));
  for (Track& track : timeline.tracks)
    track.host = topology.host(topology.device(slots[track.rank.index()]).host).name;
}

// What would end later ends at end_of_time: no time to show anybody.
std::optional<Error> beyond_the_clock(const Timeline& timeline) {
  if (timeline.end < end_of_time) return std::nullopt;
  return Error{"the step",
               "would take more than 106 days, the most that the simulator's clock holds; a rate "
               "of the machine or of the cost table is too low, or a delay too long"};
}

}  // namespace

// Assumed, not measured: of the order of what a task has cost so far, 1.3 us
// (tests/benchmark/shipped_plans.py measures).
Seconds expected_time(const WalkExtent& extent) {
  constexpr double tasks_per_second = 1.0e6;
  return {static_cast<double>(extent.tasks) / tasks_per_second};
}

Result<Program> checked_program(const Model& model, const Plan& plan, const Topology& topology,
                                const CostTable& costs, const CompileOptions& options) {
  Result<Program> program =
      checked_step_program(model, plan, topology, compile_options(costs, options));
  if (!program) return program;
  for (const CostTable* const table : all_tables(costs)) {
    if (const auto error = not_covered(plan, *table)) return *error;
    if (const auto error = unpriced_copies(plan, *table)) return *error;
    if (const auto error = beside_profiles(plan, *table)) return *error;
    if (const auto error = unpriced(*program, *table)) return *error;
  }
  return program;
}

Result<Execution> simulate_priced(const PricedStep& step, const Topology& topology,
                                  const PredictOptions& options) {
  Result<Execution> execution = simulate_folded({step}, options);
  if (!execution) return execution;
  execution->measured = step.all.measured;
  name_hosts(step.program.grid, step.plan, topology, execution->timeline);
  drop_core_pools(topology, *execution);
  if (options.shown == ShownTimeline::whole) {
    execution->timeline = with_repeated(std::move(execution->timeline), execution->repeated);
    execution->repeated = {};
  }
  return execution;
}

Result<Execution> simulate(const Program& program, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const PredictOptions& options) {
  const Communications all = communications(program, plan, topology, costs);
  return simulate_priced({program, plan, costs, all}, topology, options);
}

Result<MemoryReport> predict_memory(const Model& model, const Plan& plan, const Topology& topology,
                                    const CostTable& costs, const CompileOptions& compile) {
  const Result<Program> program = checked_program(model, plan, topology, costs, compile);
  if (!program) return program.error();
  return memory_report(model, plan, topology, costs, compile, *program);
}

Result<Prediction> predict(const Model& model, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const PredictOptions& options) {
  Result<Program> program = checked_program(model, plan, topology, costs, options.compile);
  if (!program) return program.error();
  Prediction prediction;
  prediction.program = std::move(*program);
  PredictOptions own = options;
  own.shown = ShownTimeline::without_repetition;
  Result<Execution> execution = simulate(prediction.program, plan, topology, costs, own);
  if (!execution) return execution.error();
  const RepeatedPart& repeated = execution->repeated;
  if (const auto error = beyond_the_clock(execution->timeline)) return *error;
  prediction.timeline = std::move(execution->timeline);
  prediction.loads = std::move(execution->loads);
  prediction.load_of_link = std::move(execution->load_of_link);
  prediction.events = execution->events;
  prediction.move_bases = execution->measured.bases;
  prediction.track_of_rank = std::move(execution->track_of_rank);
  prediction.breakdowns = breakdowns(prediction.timeline, repeated);
  prediction.mean = mean(prediction.breakdowns);
  prediction.numbers = step_numbers(model, plan, prediction.program.dealt, topology, options);
  prediction.load_balance = load_balance_of(model, plan, topology);
  prediction.summary = step_summary(prediction.mean, prediction.numbers);
  prediction.interval = predicted_interval(prediction.program, prediction.timeline, costs,
                                           execution->measured, repeated);
  if (options.shown == ShownTimeline::whole)
    prediction.timeline = with_repeated(std::move(prediction.timeline), repeated);
  prediction.memory =
      memory_report(model, plan, topology, costs, options.compile, prediction.program);
  prediction.checkpoint = checkpoint_size(model, plan.parallelism);
  if (plan.run.evaluation.every > 0) {
    const Result<Seconds> time = evaluation_time(model, plan, topology, costs, options);
    if (!time) return time.error();
    prediction.evaluation = *time;
  }
  return prediction;
}

}  // namespace quintet
