#include <fmt/format.h>

#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

void find_group_problems(const Parallelism& parallelism, Problems& found) {
  const int group = parallelism.sharding_group;
  if (group == 0) return;
  if (parallelism.sharding == Sharding::none)
    found.push_back({"parallelism.sharding_group", "nothing is sharded",
                     "use 0, or choose what parallelism.sharding shares out"});
  if (group < 0 || parallelism.data % group != 0)
    found.push_back({"parallelism.sharding_group",
                     fmt::format("groups of {} cannot be made of {} data-parallel ranks", group,
                                 parallelism.data),
                     use_one_of(divisors(parallelism.data)) + ", or 0 for all"});
}

}  // namespace

void find_sharding_problems(const Parallelism& parallelism, Problems& found) {
  if (parallelism.sharding != Sharding::none && parallelism.data == 1)
    found.push_back({"parallelism.sharding",
                     "there is one data-parallel rank: nobody to share with",
                     "use none, or parallelism.data above 1"});
  find_group_problems(parallelism, found);
  const Replicator& replicator = parallelism.replicator;
  if (replicator.kind != ReplicatorKind::full)
    found.push_back({"parallelism.replicator.kind",
                     std::string(name_of(replicator.kind)) + " is not modelled yet", "use full"});
  if (replicator.every != 1)
    found.push_back({"parallelism.replicator.every",
                     "synchronising less than every step is not modelled yet", "use 1"});
}

}  // namespace quintet
