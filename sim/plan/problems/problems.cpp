#include "sim/plan/problems/problems.h"

#include <algorithm>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

std::int64_t rank_count(const Parallelism& parallelism) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  std::int64_t ranks = 1;
  for (const Axis axis : Parallelism{}.order)
    ranks = std::min(most, ranks * degree(parallelism, axis));
  return ranks;
}

std::string use_one_of(const std::vector<int>& values) {
  std::string text = "use ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? " or " : ", ";
    text += std::to_string(values[i]);
  }
  return text;
}

std::vector<int> divisors(int number) {
  constexpr std::size_t most = 12;
  std::vector<int> found;
  for (int candidate = 1; candidate <= number && found.size() < most; ++candidate)
    if (number % candidate == 0) found.push_back(candidate);
  return found;
}

std::vector<Problem> problems(const Plan& plan, const Model& model, const Topology& topology) {
  Problems found;
  find_impossible_counts(plan.parallelism, found);
  if (!found.empty()) return found;
  find_degree_problems(plan.parallelism, topology, found);
  find_split_problems(plan.parallelism, model, found);
  find_schedule_problems(plan.parallelism, model, found);
  find_size_problems(plan.parallelism, plan.ccl, model, found);
  find_sharding_problems(plan.parallelism, found);
  find_replicator_problems(plan.parallelism, found);
  find_copy_problems(plan.parallelism, model, found);
  find_type_problems(plan.parallelism.compute_type, topology, found);
  find_numeric_problems(plan.parallelism, plan.ccl, found);
  find_sample_problems(plan, model, topology, found);
  find_offload_problems(plan.parallelism, found);
  find_ccl_problems(plan.ccl, topology, found);
  find_intra_inter_problems(plan.intra_inter, plan.parallelism, found);
  find_host_net_problems(plan.host_net, plan.parallelism, found);
  find_network_problems(plan.network, topology, found);
  find_run_problems(plan.run, found);
  return found;
}

std::vector<Problem> own_problems(const Plan& plan) {
  Problems found;
  find_impossible_counts(plan.parallelism, found);
  if (!found.empty()) return found;
  find_sharding_problems(plan.parallelism, found);
  find_replicator_problems(plan.parallelism, found);
  find_numeric_problems(plan.parallelism, plan.ccl, found);
  find_offload_problems(plan.parallelism, found);
  find_intra_inter_problems(plan.intra_inter, plan.parallelism, found);
  find_host_net_problems(plan.host_net, plan.parallelism, found);
  find_run_problems(plan.run, found);
  return found;
}

std::string refusal_text(const Plan& plan, const std::vector<Problem>& found) {
  const std::vector<Problem> own = own_problems(plan);
  std::string itself, others;
  for (const Problem& problem : found) {
    const bool of_plan = std::find(own.begin(), own.end(), problem) != own.end();
    std::string& lines = of_plan ? itself : others;
    lines += "\n  " + problem.field + ": " + problem.reason +
             (problem.remedy.empty() ? "" : "; " + problem.remedy);
  }
  if (!itself.empty()) itself = "is wrong in itself" + itself;
  if (!others.empty()) others = "does not fit this model on this machine" + others;
  return itself + (itself.empty() || others.empty() ? "" : "\n") + others;
}

}  // namespace quintet
