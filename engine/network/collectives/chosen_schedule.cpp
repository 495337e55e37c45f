#include "engine/network/collectives/chosen_schedule.h"

#include <cassert>
#include <functional>
#include <numeric>
#include <string>

#include "sim/ccl/cpu_choice.h"

namespace quintet::engine {

namespace {

int product(const std::vector<int>& levels) {
  return std::accumulate(levels.begin(), levels.end(), 1, std::multiplies<>{});
}

ChosenSchedule direct(const ScheduleChoice& choice, int ranks) {
  if (choice.kind == CollectiveKind::all_to_all)
    return {all_to_all_schedule(ranks, choice.levels.front()), SumOrder::of_schedule};
  return {direct_schedule(choice.kind, ranks), SumOrder::by_rank};
}

// A root stays where it is.
ChosenSchedule in_order(Schedule schedule, const ScheduleChoice& choice) {
  const bool rooted =
      choice.kind == CollectiveKind::broadcast || choice.kind == CollectiveKind::reduce;
  if (choice.order.empty() || rooted) return {std::move(schedule)};
  return {with_ranks_in(std::move(schedule), choice.order)};
}

}  // namespace

Result<ChosenSchedule> chosen_schedule(const ScheduleChoice& choice) {
  assert(!choice.levels.empty());
  const int ranks = product(choice.levels);
  const int inside = choice.levels.size() > 1 ? choice.levels.front() : 1;
  if (!cpu_ranks_do(choice.kind, choice.algorithm))
    return Error{"collective", std::string(name_of(choice.algorithm)) + " is not executed for " +
                                   std::string(name_of(choice.kind)) +
                                   "; ring does all kinds but all-to-all, direct all-to-all"};
  switch (choice.algorithm) {
    case Algorithm::tree:
      return in_order(double_tree_schedule(ranks / inside, inside, choice.tree_pieces), choice);
    case Algorithm::halving_doubling:
      return ChosenSchedule{halving_doubling_schedule(choice.kind, ranks)};
    case Algorithm::hierarchical:
      return in_order(hierarchical_schedule({choice.levels}), choice);
    case Algorithm::direct:
      return direct(choice, ranks);
    case Algorithm::ring:
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
    case Algorithm::pat:
      break;
  }
  return in_order(ring_schedule(choice.kind, ranks), choice);
}

}  // namespace quintet::engine
