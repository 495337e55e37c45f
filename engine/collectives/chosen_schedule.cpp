#include "engine/collectives/chosen_schedule.h"

#include <cassert>
#include <functional>
#include <numeric>
#include <string>

namespace quintet::engine {

namespace {

enum class Carries { chunk_of_receiver, chunk_of_sender };

void exchange(Schedule& schedule, Carries carries, Effect effect) {
  for (const int delta : peer_deltas(schedule.ranks, 1)) {
    if (delta == 0) continue;
    for (int from = 0; from < schedule.ranks; ++from) {
      const int to = (from + delta) % schedule.ranks;
      const int chunk = carries == Carries::chunk_of_receiver ? to : from;
      schedule.transfers.push_back({schedule.steps, from, to, chunk, effect});
    }
    ++schedule.steps;
  }
}

int product(const std::vector<int>& levels) {
  return std::accumulate(levels.begin(), levels.end(), 1, std::multiplies<>{});
}

enum class Does { yes, no };

Does does(Algorithm algorithm, CollectiveKind kind) {
  using enum CollectiveKind;
  const bool reduces_or_gathers =
      kind == all_reduce || kind == reduce_scatter || kind == all_gather;
  switch (algorithm) {
    case Algorithm::ring:
      return kind != all_to_all ? Does::yes : Does::no;
    case Algorithm::tree:
    case Algorithm::hierarchical:
      return kind == all_reduce ? Does::yes : Does::no;
    case Algorithm::halving_doubling:
      return reduces_or_gathers ? Does::yes : Does::no;
    case Algorithm::direct:
      return reduces_or_gathers || kind == all_to_all ? Does::yes : Does::no;
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
    case Algorithm::pat:
      return Does::no;
  }
  return Does::no;
}

ChosenSchedule direct(const ScheduleChoice& choice, int ranks) {
  if (choice.kind == CollectiveKind::all_to_all)
    return {all_to_all_schedule(ranks, choice.levels.front()), SumOrder::of_schedule};
  return {direct_schedule(choice.kind, ranks), SumOrder::by_rank};
}

}  // namespace

Schedule direct_schedule(CollectiveKind kind, int ranks) {
  assert(ranks >= 1);
  Schedule schedule{.kind = kind, .ranks = ranks, .chunks = ranks};
  if (kind != CollectiveKind::all_gather)
    exchange(schedule, Carries::chunk_of_receiver, Effect::reduce);
  if (kind != CollectiveKind::reduce_scatter)
    exchange(schedule, Carries::chunk_of_sender, Effect::copy);
  return schedule;
}

Result<ChosenSchedule> chosen_schedule(const ScheduleChoice& choice) {
  assert(!choice.levels.empty());
  const int ranks = product(choice.levels);
  const int inside = choice.levels.size() > 1 ? choice.levels.front() : 1;
  if (does(choice.algorithm, choice.kind) == Does::no)
    return Error{"collective", std::string(name_of(choice.algorithm)) + " is not executed for " +
                                   std::string(name_of(choice.kind)) +
                                   "; ring does all kinds but all-to-all, direct all-to-all"};
  switch (choice.algorithm) {
    case Algorithm::tree:
      return ChosenSchedule{double_tree_schedule(ranks / inside, inside, choice.tree_pieces)};
    case Algorithm::halving_doubling:
      return ChosenSchedule{halving_doubling_schedule(choice.kind, ranks)};
    case Algorithm::hierarchical:
      return ChosenSchedule{hierarchical_schedule({choice.levels})};
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
  return ChosenSchedule{ring_schedule(choice.kind, ranks)};
}

}  // namespace quintet::engine
