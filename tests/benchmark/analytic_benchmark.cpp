// The analytic fidelity beside fluid, over random plans: how far apart they are, by schedule,
// sharding and machine, and what a plan takes. By hand, in Release:
//   cmake --build BUILD --target analytic_benchmark && BUILD/tests/benchmark/analytic_benchmark
//   [plans, 2000] [seconds that it may take in all, 600] [v: shows all that are 5 % apart]
// Plans are drawn by a seed, so many for each machine; a machine's part of the time is up, what
// was compared so far counts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sim/analytic/analytic_model.h"
#include "sim/simulate/predict.h"
#include "tests/benchmark/varied_worlds.h"

namespace quintet::test {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

struct Errors {
  std::vector<double> values;
  double at(double share) const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[std::min(sorted.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
  }
};

struct Tally {
  std::map<std::string, Errors> groups;
  void add(const std::string& group, double error) { groups[group].values.push_back(error); }
  void print() const {
    fmt::print("{:42} {:>5} {:>8} {:>8} {:>8}\n", "absolute error of", "plans", "median %", "p95 %",
               "most %");
    for (const auto& [name, errors] : groups)
      fmt::print("{:42} {:5} {:8.2f} {:8.2f} {:8.2f}\n", name, errors.values.size(),
                 100 * errors.at(0.5), 100 * errors.at(0.95), 100 * errors.at(1));
  }
};

std::string shown(const Plan& plan) {
  const Parallelism& p = plan.parallelism;
  return fmt::format(
      "t{} p{} d{} v{} {} m{} mb{} s{} {}{} sp{} re{} clip {} bucket {} og{} op{} rules {} hier {} "
      "fwd {} del {} qp {} launch {} routing {} layers {} order {}",
      p.tensor, p.pipeline, p.data, p.virtual_stages, name_of(p.schedule), p.micro_batches,
      p.micro_batch, p.sequence_length, name_of(p.sharding), p.sharding_group, p.sequence_parallel,
      name_of(p.recompute), name_of(p.clipping), plan.ccl.bucket.value, plan.ccl.overlap_gradients,
      plan.ccl.overlap_parameters,
      plan.ccl.rules.empty() ? "none"
                             : fmt::format("{} {}", name_of(*plan.ccl.rules[0].axis),
                                           name_of(*plan.ccl.rules[0].algorithm)),
      plan.intra_inter.decompositions.size(), name_of(plan.intra_inter.forwarding),
      name_of(plan.host_net.delivery), plan.host_net.queue_pairs, name_of(plan.host_net.launch),
      name_of(plan.network.routing), p.stage_layers.size(), name_of(p.order[3]));
}

std::string breakdown_text(const AnalyticStep& s) {
  return fmt::format(
      "     compute {:.4f} tensor {:.4f} data {:.4f} pipeline {:.4f} bubble {:.4f} other {:.4f}",
      s.compute.value, s.exposed[0].value, s.exposed[3].value, s.exposed[4].value, s.bubble.value,
      s.other.value);
}

struct Apart {
  double error = 0;
  std::string plan;
};

int run(int plans, double most_seconds, bool verbose) {
  std::vector<Apart> apart;
  Dice dice(20261127);
  Tally tally;
  int above = 0, memories = 0;
  double cold = 0, warm = 0, fluid = 0;
  Errors gaps;
  const std::vector<VariedWorld> worlds = varied_worlds();
  double shares = 0, asked = 0;
  for (const VariedWorld& each : worlds) shares += each.share;
  int compared = 0, uncovered = 0;
  for (const auto& [world, share] : worlds) {
    const int each = std::max(1, static_cast<int>(std::lround(plans * share / shares)));
    std::vector<Plan> drawn;
    for (int plan = 0; plan < each; ++plan) drawn.push_back(varied_plan(dice, world));
    AnalyticModel model(world.model, world.topology, world.costs);
    for (int round = 0; round < 2; ++round) {
      const auto since = Clock::now();
      for (const Plan& plan : drawn) asked += model.step(plan) ? 0.5 : 0;
      (round == 0 ? cold : warm) += microseconds(since);
    }
    const auto begin = Clock::now();
    for (const Plan& plan : drawn) {
      if (microseconds(begin) > 1e6 * most_seconds * share / shares) break;
      const Result<AnalyticStep> stepped = model.step(plan);
      if (!stepped) {
        ++uncovered;
        continue;
      }
      const AnalyticStep step = *stepped;
      PredictOptions options;
      options.threads = 1;
      options.interval = false;
      const auto since = Clock::now();
      const Result<Prediction> predicted =
          predict(world.model, plan, world.topology, world.costs, options);
      fluid += microseconds(since);
      if (!predicted) {
        fmt::print("{}\n", predicted.error().text());
        return 1;
      }
      ++compared;
      const double truth = seconds(predicted->timeline.end).value;
      const double error = step.step.value / truth - 1;
      const Parallelism& p = plan.parallelism;
      apart.push_back({error, world.name + ": " + shown(plan)});
      tally.add("all", std::abs(error));
      tally.add("schedule " + std::string(p.pipeline > 1 ? name_of(p.schedule) : "none"),
                std::abs(error));
      tally.add("sharding " + std::string(name_of(p.sharding)), std::abs(error));
      tally.add("world " + world.name, std::abs(error));
      const double bound = model.bound(plan).value;
      gaps.values.push_back(1 - bound / truth);
      if (bound > truth * (1 + 1e-9)) {
        ++above;
        fmt::print("BOUND {:.6f} above {:.6f}: {}\n", bound, truth, shown(plan));
      }
      const auto most = fullest(predicted->memory);
      if (std::abs(total(*most).value / step.memory.value - 1) > 1e-12 ||
          step.fits != (verdict(predicted->memory) == MemoryVerdict::fits))
        ++memories;
      if (verbose && std::abs(error) > 0.05) {
        const RankBreakdown& m = predicted->mean;
        fmt::print("{}\n", breakdown_text(step));
        AnalyticStep t;
        t.compute = seconds(m.compute);
        for (std::size_t axis = 0; axis < axis_count; ++axis)
          t.exposed[axis] = seconds(m.exposed[axis]);
        t.bubble = seconds(m.bubble);
        t.other = seconds(m.waiting + m.copy + m.host + m.idle);
        fmt::print("{} (waiting {:.4f} host {:.4f} idle {:.4f})\n", breakdown_text(t),
                   seconds(m.waiting).value, seconds(m.host).value, seconds(m.idle).value);
        fmt::print("{:+7.2f} % {:.4f} s, fluid {:.4f}: {}: {}\n", 100 * error, step.step.value,
                   truth, world.name, shown(plan));
      }
    }
  }
  if (compared == 0) return 1;
  tally.print();
  std::sort(apart.begin(), apart.end(), [](const Apart& one, const Apart& other) {
    return std::abs(one.error) > std::abs(other.error);
  });
  for (std::size_t place = 0; place < std::min<std::size_t>(10, apart.size()); ++place)
    fmt::print("{:+8.2f} % {}\n", 100 * apart[place].error, apart[place].plan);
  fmt::print("plans compared: {} of {}, not covered: {}\n", compared, plans, uncovered);
  fmt::print("bounds above fluid: {}; 1 - bound / fluid: median {:.3f}, p95 {:.3f}\n", above,
             gaps.at(0.5), gaps.at(0.95));
  fmt::print("memories that differ: {}\n", memories);
  fmt::print("us a plan: {:.1f} first time, {:.1f} asked again, {:.0f} by fluid\n", cold / asked,
             warm / asked, fluid / compared);
  return above + memories > 0 ? 1 : 0;
}

}  // namespace
}  // namespace quintet::test

int main(int count, char** words) {
  const int plans = count > 1 ? std::atoi(words[1]) : 2000;
  const double most_seconds = count > 2 ? std::atof(words[2]) : 600;
  return quintet::test::run(std::max(20, plans), most_seconds, count > 3);
}
