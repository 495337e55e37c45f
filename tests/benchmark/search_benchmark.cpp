// How long a search takes, and how good what it has found is meanwhile. By hand, in Release:
//   cmake --build BUILD --target search_benchmark
//   BUILD/tests/benchmark/search_benchmark turing 1   # on one thread
//   BUILD/tests/benchmark/search_benchmark llama 2    # on two
//
// turing: the problem of Calculon's llm-optimal-execution (Isaev et al., SC'23; calculon/llm/
//   optimal_execution.py) for Turing-NLG 530B on 5,128 A100-80GB with at most 2,520 sequences,
//   8,112 candidates there. The same degrees (tensor 1, 2, 4, 8; 5,128 = 8 x 641 has no divisor in
//   common with 105 layers, so one stage), the same batches (the largest multiple of the replicas
//   up to 2,520, or one sequence each), all micro-batches that divide them, recomputation none,
//   attention or all, optimizer shared or not, gradients overlapped or not, tensor parallelism by
//   all-reduce or by gathers and scatters, and which axis has the NVLinks (the order of axes).
//   Calculon's overlap of tensor collectives with their products, and a second way to send them,
//   are not modelled here; in their place the bucket, the algorithm of the data axis and its
//   decomposition are chosen, which Calculon has not.
// llama: Llama 3 405B on 2,048 hosts of 8 H100 with 2,048 sequences of 8,192 tokens (arXiv
//   2407.21783, table 4), over all five layers. Routing is pinned;
//   where it may also be sprayed or hashed (llama-routings) one fluid walk of what is found takes
//   ten seconds, or, as then no two hosts are alike, minutes.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sim/plan/asked_plan.h"
#include "sim/search/analytic_evaluator.h"
#include "tests/support/search_problems.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Rounds with the best so far, until the search is done.
std::vector<Found> run(const SearchQuestion& question, const SearchPlanned& planned, bool curve) {
  const std::atomic<bool> never = false;
  const Clock::time_point begin = Clock::now();
  Search search(question, planned);
  if (curve) fmt::print("  bounds of groups: {:.2f} s\n", seconds_since(begin));
  for (bool more = true; more;) {
    more = search.advance(never);
    const SearchProgress progress = search.progress();
    if (!curve || !progress.best) continue;
    fmt::print("  {:7.2f} s  {:10}  {:5.1f} %  best {:.4f} s, bound of the rest {}\n",
               seconds_since(begin), name_of(search.state().phase), 100 * progress.share,
               progress.best->estimate.step.value,
               progress.bound ? fmt::format("{:.4f}", *progress.bound) : "-");
  }
  const SearchCounts& counts = search.state().counts;
  if (curve)
    fmt::print("  {} estimated, {} simulated, {} excluded one by one, {} too large\n",
               counts.estimated, counts.simulated, counts.bounded, counts.too_large);
  return best_of(search.state(), planned);
}

void turing(int threads) {
  const Model model = shipped_model("korthikanti-530b");
  const Topology machine = shipped_topology("dgx-a100", 641);
  const CostTable costs = shipped_costs("a100-sxm-80gb");
  const AnalyticEvaluators factory;
  Wanted wanted;
  wanted.objective = Objective::speed;
  const std::vector<std::optional<Bill>> bills(1);
  std::uint64_t count = 0;
  std::optional<Found> best;
  std::string layout;
  const Clock::time_point begin = Clock::now();
  for (const int tensor : {1, 2, 4, 8}) {
    const int replicas = 5128 / tensor;
    const int batch = replicas * std::max(1, 2520 / replicas);
    const Result<Candidates> candidates = Candidates::of(
        model,
        space_of(
            {{"parallelism.tensor", {std::to_string(tensor)}},
             {"parallelism.micro_batch", {"1", "3"}},
             {"parallelism.order",
              {"[tensor,context,expert,data,pipeline]", "[data,tensor,context,expert,pipeline]"}},
             {"parallelism.sequence_parallel", {"true", "false"}},
             {"parallelism.sharding", {"none", "optimizer", "gradients", "parameters"}},
             {"parallelism.recompute", {"none", "selective", "full"}},
             {"parallelism.attention", {"flash", "unfused"}},
             {"intra_inter.data", {"flat", "hierarchical"}},
             {"ccl.overlap_gradients", {"true", "false"}},
             {"ccl.bucket", {"0 B", "100 MB", "400 MB"}},
             {"ccl.data.algorithm", {"tuner", "ring", "tree"}}},
            batch, 2048),
        {{machine, costs, {}, "machine"}});
    if (!candidates) continue;
    count += candidates->count();
    const std::vector<Found> found =
        run({*candidates, factory, wanted, bills}, {threads, 0, 1, false}, false);
    if (found.empty() || (best && !before(found.front(), *best))) continue;
    best = found.front();
    const Parallelism chosen = candidates->draft_of(best->number)->plan.parallelism;
    layout = layout_name(chosen) +
             fmt::format(", {} samples/s", global_batch(chosen) / best->estimate.step.value);
  }
  const double took = seconds_since(begin);
  fmt::print("turing: {} candidates in {:.3f} s on {} threads; best: {}\n", count, took, threads,
             best ? layout : "none fits");
}

Model llama_405b() {
  return required(read_model(source("tests/benchmark/llama-3-405b/config.json")));
}

void llama(int threads, std::size_t simulate, const std::vector<std::string>& routings) {
  const Model model = llama_405b();
  const Topology machine = shipped_topology("dgx-h100", 2048);
  const CostTable costs = shipped_costs("h100-sxm-80gb");
  const AnalyticEvaluators factory;
  const Wanted wanted;
  const std::vector<std::optional<Bill>> bills(1);
  const Clock::time_point begin = Clock::now();
  const Result<Candidates> candidates = Candidates::of(
      model,
      space_of(
          {{"parallelism.tensor", {"1", "2", "4", "8"}},
           {"parallelism.pipeline", {"1", "2", "4", "8", "16", "32"}},
           {"parallelism.micro_batch", {"1", "2", "4"}},
           {"parallelism.order",
            {"[tensor,context,expert,data,pipeline]", "[tensor,context,expert,pipeline,data]"}},
           {"parallelism.schedule", {"1f1b", "interleaved"}},
           {"parallelism.virtual_stages", {"2", "4", "8"}},
           {"parallelism.sequence_parallel", {"true", "false"}},
           {"parallelism.sharding", {"none", "optimizer", "gradients", "parameters"}},
           {"parallelism.recompute", {"none", "selective", "full"}},
           {"network.routing", routings},
           {"network.mtu", {"1 KiB", "2 KiB", "4 KiB"}},
           {"host_net.delivery", {"direct", "staged"}},
           {"host_net.queue_pairs", {"1", "4"}},
           {"intra_inter.forwarding", {"same-rail", "none"}},
           {"intra_inter.data", {"flat", "hierarchical"}},
           {"ccl.bucket", {"0 B", "100 MB", "400 MB", "1 GB"}},
           {"ccl.data.algorithm", {"tuner", "ring", "tree"}},
           {"ccl.tensor.algorithm", {"tuner", "ring", "nvls"}}},
          2048, 8192),
      {{machine, costs, {}, "machine"}});
  if (!candidates) {
    fmt::print("llama: {}\n", candidates.error().text());
    return;
  }
  fmt::print("llama: {} candidates in {} groups, counted in {:.2f} s\n", candidates->count(),
             candidates->groups().size(), seconds_since(begin));
  const std::vector<Found> found =
      run({*candidates, factory, wanted, bills}, {threads, simulate, 10, false}, true);
  fmt::print("llama: {:.2f} s on {} threads\n", seconds_since(begin), threads);
  for (const Found& each : found) {
    fmt::print("  {:.4f} s ", each.estimate.step.value);
    for (const std::string& choice : candidates->choices_of(each.number))
      fmt::print(" {}", choice.empty() ? "-" : choice);
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace quintet::test

int main(int count, char** words) {
  const int threads = count > 2 ? std::max(1, std::atoi(words[2])) : 1;
  if (count > 1 && std::strcmp(words[1], "turing") == 0) return quintet::test::turing(threads), 0;
  const std::size_t simulate = count > 3 ? std::strtoul(words[3], nullptr, 10) : 100;
  if (count > 1 && std::strcmp(words[1], "llama") == 0)
    return quintet::test::llama(threads, simulate, {"rail-pinned"}), 0;
  if (count > 1 && std::strcmp(words[1], "llama-routings") == 0)
    return quintet::test::llama(threads, simulate, {"rail-pinned", "spray", "ecmp"}), 0;
  fmt::print("usage: search_benchmark turing|llama|llama-routings [threads [SIMULATED]]\n");
  return 2;
}
