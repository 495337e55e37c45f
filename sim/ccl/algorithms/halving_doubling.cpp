// halving-doubling: partners at half the distance each time split what they both hold, then join it
// again (Thakur et al., doi 10.1177/1094342005051521). Any n: the ranks beyond the largest power of
// two fold onto the first ones before, and unfold after.
//
//      0 1 2 3   4 5 6 7      distance 4: 0-4 1-5 2-6 3-7, half of the buffer each way
//      0 1  2 3  ...          distance 2: 0-2 1-3 ..., a quarter; then distance 1
//
// Every element is added by the same balanced tree, partners n/2 apart first: n ranks with one term
// each give the bits of n/2 ranks that first add terms r and r + n/2. For n no power of two the
// same, after the ranks beyond were added to the first ones.
#include <bit>
#include <cassert>

#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

// The ranks below `core` exchange; rank core + i folds onto rank i, whose share then stands for
// both.
struct Fold {
  int ranks = 1;
  int core = 1;  // the largest power of two not above ranks
  int extra() const { return ranks - core; }
};

Fold fold_of(int ranks) {
  const int core = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  return {ranks, core};
}

// Moves the chunks of shares first .. first + count - 1. An all-reduce has one chunk a share; the
// others one a rank, so that a folded rank's chunk travels with its partner's share.
void send_shares(Schedule& schedule, const Fold& fold, int from, int to, int first, int count,
                 Effect effect) {
  for (int share = first; share < first + count; ++share) {
    schedule.transfers.push_back({schedule.steps, from, to, share, effect});
    if (fold.core + share < schedule.chunks)
      schedule.transfers.push_back({schedule.steps, from, to, fold.core + share, effect});
  }
}

// Partners at half the distance each time split what they both hold: each sends the other's half.
void halve(Schedule& schedule, const Fold& fold) {
  for (int distance = fold.core / 2; distance >= 1; distance /= 2, ++schedule.steps)
    for (int rank = 0; rank < fold.core; ++rank) {
      const int partner = rank ^ distance;
      send_shares(schedule, fold, rank, partner, partner & ~(distance - 1), distance,
                  Effect::reduce);
    }
}

void double_up(Schedule& schedule, const Fold& fold) {
  for (int distance = 1; distance < fold.core; distance *= 2, ++schedule.steps)
    for (int rank = 0; rank < fold.core; ++rank)
      send_shares(schedule, fold, rank, rank ^ distance, rank & ~(distance - 1), distance,
                  Effect::copy);
}

enum class Whose { everything, own_chunk };

void fold_in(Schedule& schedule, const Fold& fold, Whose whose) {
  if (fold.extra() == 0) return;
  const Effect effect = whose == Whose::everything ? Effect::reduce : Effect::copy;
  for (int i = 0; i < fold.extra(); ++i)
    for (int chunk = 0; chunk < schedule.chunks; ++chunk)
      if (whose == Whose::everything || chunk == fold.core + i)
        schedule.transfers.push_back({schedule.steps, fold.core + i, i, chunk, effect});
  ++schedule.steps;
}

void fold_out(Schedule& schedule, const Fold& fold, Whose whose) {
  if (fold.extra() == 0) return;
  for (int i = 0; i < fold.extra(); ++i)
    for (int chunk = 0; chunk < schedule.chunks; ++chunk)
      if (whose == Whose::everything || chunk == fold.core + i)
        schedule.transfers.push_back({schedule.steps, i, fold.core + i, chunk, Effect::copy});
  ++schedule.steps;
}

constexpr Kinds kinds{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                      CollectiveKind::all_gather};

}  // namespace

Schedule halving_doubling_schedule(CollectiveKind kind, int ranks) {
  assert(ranks >= 1);
  const Fold fold = fold_of(ranks);
  Schedule schedule{.kind = kind, .ranks = ranks, .chunks = ranks};
  switch (kind) {
    case CollectiveKind::all_reduce:
      schedule.chunks = fold.core;
      fold_in(schedule, fold, Whose::everything);
      halve(schedule, fold);
      double_up(schedule, fold);
      fold_out(schedule, fold, Whose::everything);
      break;
    case CollectiveKind::reduce_scatter:
      fold_in(schedule, fold, Whose::everything);
      halve(schedule, fold);
      fold_out(schedule, fold, Whose::own_chunk);
      break;
    case CollectiveKind::all_gather:
      fold_in(schedule, fold, Whose::own_chunk);
      double_up(schedule, fold);
      fold_out(schedule, fold, Whose::everything);
      break;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      assert(false);
      break;
  }
  return schedule;
}

extern constinit const CollectiveAlgorithm halving_doubling_row{
    .algorithm = Algorithm::halving_doubling,
    .kinds = kinds,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .executed = kinds,
    .schedule =
        [](const ScheduledGroup& group) {
          return halving_doubling_schedule(group.kind, group.ranks());
        },
};

}  // namespace quintet
