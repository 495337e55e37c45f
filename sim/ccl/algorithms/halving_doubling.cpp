#include <bit>
#include <cassert>

#include "sim/ccl/schedule.h"

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

}  // namespace quintet
