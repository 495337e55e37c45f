#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

void find_placement_problems(const std::vector<int>& placement, std::int64_t ranks,
                             Problems& found) {
  if (placement.empty()) return;
  std::vector<int> slots(placement.size());
  std::iota(slots.begin(), slots.end(), 0);
  const bool each_once =
      std::is_permutation(placement.begin(), placement.end(), slots.begin(), slots.end());
  if (!each_once || static_cast<std::int64_t>(placement.size()) != ranks)
    found.push_back(
        {"intra_inter.placement",
         fmt::format("does not give each of the {} ranks a place of its own", ranks),
         fmt::format("list every number from 0 to {} once, or leave it out", ranks - 1)});
}

}  // namespace

void find_intra_inter_problems(const IntraInter& intra_inter, const Parallelism& parallelism,
                               Problems& found) {
  std::set<Axis> seen;
  for (std::size_t i = 0; i < intra_inter.decompositions.size(); ++i) {
    const Axis axis = intra_inter.decompositions[i].axis;
    const std::string field = fmt::format("intra_inter.decompositions[{}].axis", i);
    if (!seen.insert(axis).second)
      found.push_back({field, std::string(name_of(axis)) + " is decided twice", "keep one"});
    if (axis == Axis::pipeline)
      found.push_back({field, "stages send and receive: there is no collective to decompose",
                       "leave pipeline out"});
  }
  find_placement_problems(intra_inter.placement, rank_count(parallelism), found);
}

}  // namespace quintet
