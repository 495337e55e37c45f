#include "tests/support/search_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/search/analytic_evaluator.h"
#include "sim/search/search_fields.h"
#include "tests/support/dice.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

struct Offer {
  const char* path;
  std::vector<std::string> values;
};

// Some of them without effect in some plans, some impossible in some, some that the cheap fidelity
// does not cover.
const std::vector<Offer>& offers() {
  static const std::vector<Offer> all{
      {"parallelism.tensor", {"1", "2", "4", "8"}},
      {"parallelism.pipeline", {"1", "2", "4"}},
      {"parallelism.micro_batch", {"1", "2", "4"}},
      {"parallelism.order",
       {"[tensor,context,expert,data,pipeline]", "[tensor,context,expert,pipeline,data]",
        "[data,tensor,context,expert,pipeline]"}},
      {"parallelism.schedule", {"1f1b", "interleaved", "zb-h1", "gpipe"}},
      {"parallelism.virtual_stages", {"2", "4"}},
      {"parallelism.sequence_parallel", {"true", "false"}},
      {"parallelism.sharding", {"none", "optimizer", "gradients", "parameters"}},
      {"parallelism.sharding_group", {"0", "2", "8"}},
      {"parallelism.recompute", {"none", "selective", "full"}},
      {"parallelism.recompute_layers", {"0", "1", "2"}},
      {"parallelism.offload.optimizer", {"0", "1"}},
      {"network.routing", {"rail-pinned", "ecmp", "spray"}},
      {"network.hash_seed", {"1", "2"}},
      {"host_net.queue_pairs", {"1", "4"}},
      {"host_net.delivery", {"direct", "staged"}},
      {"host_net.launch", {"eager", "graphs"}},
      {"intra_inter.data", {"flat", "hierarchical"}},
      {"intra_inter.tensor", {"flat", "hierarchical"}},
      {"intra_inter.placement", {"block", "cyclic"}},
      {"intra_inter.forwarding", {"same-rail", "none"}},
      {"ccl.bucket", {"0 B", "25 MB", "100 MB"}},
      {"ccl.overlap_gradients", {"true", "false"}},
      {"ccl.overlap_parameters", {"true", "false"}},
      {"ccl.data.algorithm", {"tuner", "ring", "tree"}},
      {"ccl.data.protocol", {"tuner", "simple", "ll128"}},
      {"ccl.tensor.algorithm", {"tuner", "ring", "nvls"}}};
  return all;
}

PlanWorld small_world(Dice& dice) {
  struct Part {
    const char *model, *machine, *costs;
  };
  constexpr std::array parts{Part{"gpt2", "dgx-h100", "h100-sxm-80gb"},
                             Part{"llama-3-8b", "dgx-h100", "h100-sxm-80gb"},
                             Part{"korthikanti-22b", "selene-a100", "a100-sxm-80gb"},
                             Part{"olmo-2-1b", "hgx-h200", "h200-sxm-141gb"}};
  const Part& part = parts[static_cast<std::size_t>(dice.below(4))];
  const int hosts = 1 + dice.below(3);
  PlanWorld world{part.model, shipped_model(part.model), shipped_topology(part.machine, hosts),
                  shipped_costs(part.costs)};
  world.model.layers = 4 * (1 + dice.below(3));
  return world;
}

// Some of the offers, each with some of its values.
std::vector<AskedDimension> drawn(Dice& dice) {
  std::vector<AskedDimension> asked;
  for (const Offer& offer : offers()) {
    if (dice.below(5) < 2) continue;
    AskedDimension dimension{offer.path, {}};
    for (const std::string& value : offer.values)
      if (dice.below(3) > 0) dimension.values.push_back(value);
    if (!dimension.values.empty()) asked.push_back(dimension);
  }
  return asked;
}

Objective drawn_objective(Dice& dice) {
  const int number = dice.below(4);
  return number == 0 ? Objective::energy : number == 1 ? Objective::speed : Objective::step;
}

std::unique_ptr<SearchProblem> attempt(Dice& dice, std::uint64_t most) {
  auto problem = std::make_unique<SearchProblem>();
  problem->world = small_world(dice);
  problem->machines = {problem->world.topology};
  if (dice.below(4) == 0) problem->machines.push_back(problem->world.topology);  // two that tie
  problem->bills.resize(problem->machines.size());
  problem->wanted.objective = drawn_objective(dice);
  problem->factory = std::make_unique<AnalyticEvaluators>();
  const std::vector<AskedDimension> asked = drawn(dice);
  std::vector<SearchMachine> machines;
  for (const Topology& topology : problem->machines)
    machines.push_back({topology, problem->world.costs, {}, topology.name});
  constexpr std::array batches{8, 16, 24, 64};
  Result<Candidates> candidates = Candidates::of(
      problem->world.model, space_of(asked, batches[static_cast<std::size_t>(dice.below(4))], 1024),
      machines);
  if (!candidates || candidates->count() > most) return nullptr;
  problem->candidates.emplace(std::move(*candidates));
  problem->name = fmt::format("{}, {} layers, {} candidates", problem->world.name,
                              problem->world.model.layers, problem->candidates->count());
  return problem;
}

}  // namespace

Space space_of(const std::vector<AskedDimension>& asked, int global_batch, int sequence_length) {
  Space space;
  space.base.plan.parallelism.sequence_length = sequence_length;
  space.base.global_batch = global_batch;
  for (const SearchField& field : search_fields())
    for (const AskedDimension& each : asked)
      if (each.path == field.path)
        space.dimensions.push_back(required(dimension_of(field, each.values, "")));
  return space;
}

std::unique_ptr<SearchProblem> search_problem(std::uint64_t seed, std::uint64_t most) {
  Dice dice(seed);
  for (;;)
    if (auto problem = attempt(dice, most)) return problem;
}

SearchState searched(const SearchProblem& problem, const SearchPlanned& planned) {
  const std::atomic<bool> never = false;
  const SearchQuestion question = problem.question();
  Search search(question, planned);
  while (search.advance(never)) {
  }
  return search.state();
}

std::vector<Found> enumerated(const SearchProblem& problem, std::size_t most, JudgedBy by) {
  const Candidates& candidates = *problem.candidates;
  const SearchQuestion question = problem.question();
  ThreadEvaluators evaluators(candidates, *problem.factory);
  const Numbering numbering(candidates.space(), candidates.machines().size());
  BestList best(most);
  for (std::uint64_t number = 0; number < numbering.size(); ++number) {
    const Result<Draft> draft = candidates.draft_of(number);
    if (!draft) continue;
    const auto machine = static_cast<std::size_t>(candidates.machine_of(number));
    CandidateEvaluator& evaluator = evaluators.of(machine);
    if (!fits(evaluator.memory(draft->plan), problem.wanted.headroom)) continue;
    Result<StepEstimate> step = by == JudgedBy::estimate ? evaluator.estimate(draft->plan)
                                                         : evaluator.simulate(draft->plan);
    if (!step) step = evaluator.simulate(draft->plan);
    if (!step) continue;
    const WorthBase base = worth_base(question, *draft, machine);
    if (const auto objective = objective_of(base, step->step, step->compute))
      best.add({*objective, number, *step, static_cast<std::uint32_t>(machine)});
  }
  return best.all();
}

}  // namespace quintet::test
