#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

struct Count {
  const char* field;
  int value;
};

void find_order_problem(const Parallelism& parallelism, Problems& found) {
  std::vector<Axis> sorted = parallelism.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Axis> all = Parallelism{}.order;
  std::sort(all.begin(), all.end());
  if (sorted == all) return;
  found.push_back({"parallelism.order", "does not name each of the five axes once",
                   "list tensor, context, expert, data and pipeline, innermost first"});
}

// What data parallelism would fill the machine, if any does.
std::string filling_remedy(const Parallelism& parallelism, std::int64_t slots) {
  const std::int64_t others = rank_count(parallelism) / parallelism.data;
  if (others <= slots && slots % others == 0)
    return fmt::format("set parallelism.data to {}, or describe a machine of {}", slots / others,
                       rank_count(parallelism));
  return fmt::format("choose degrees whose product is {}, or describe a machine of {}", slots,
                     rank_count(parallelism));
}

}  // namespace

void find_impossible_counts(const Parallelism& parallelism, Problems& found) {
  const std::vector<Count> counts{
      {"parallelism.tensor", parallelism.tensor},
      {"parallelism.context", parallelism.context},
      {"parallelism.expert", parallelism.expert},
      {"parallelism.data", parallelism.data},
      {"parallelism.pipeline", parallelism.pipeline},
      {"parallelism.virtual_stages", parallelism.virtual_stages},
      {"parallelism.sequence_length", parallelism.sequence_length},
      {"parallelism.micro_batch", parallelism.micro_batch},
      {"parallelism.micro_batches", parallelism.micro_batches},
  };
  for (const Count& count : counts)
    if (count.value < 1)
      found.push_back({count.field, fmt::format("is {}", count.value), "use 1 or more"});
}

void find_degree_problems(const Parallelism& parallelism, const Topology& topology,
                          Problems& found) {
  find_order_problem(parallelism, found);
  const auto slots = static_cast<std::int64_t>(rank_slots(topology).size());
  const std::int64_t ranks = rank_count(parallelism);
  if (ranks != slots)
    found.push_back({"parallelism",
                     fmt::format("the degrees multiply to {} ranks, but the machine has {} places",
                                 ranks, slots),
                     filling_remedy(parallelism, slots)});
  if (parallelism.context > 1)
    found.push_back({"parallelism.context", "context parallelism is not modelled yet", "use 1"});
  if (parallelism.expert > 1)
    found.push_back({"parallelism.expert", "expert parallelism is not modelled yet", "use 1"});
}

}  // namespace quintet
