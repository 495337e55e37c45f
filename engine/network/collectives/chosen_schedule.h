// Which schedule of sim/ccl a collective executes. The simulator prices the same object.
//
// The order in which one element's n contributions are added:
//   ring           rotated: chunk r starts at rank r + 1, so neighbouring elements differ in order
//   tree           the two halves of the buffer by two different trees
//   halving_doubling, n a power of two
//                  every element by the same balanced tree, partners n/2 apart first; so n ranks
//                  with one term each give the bits of n/2 ranks that first add terms r and r + n/2
//   halving_doubling, other n
//                  the same after the ranks beyond the power of two were added to the first ones
//   hierarchical   rotated at every level
//   direct         by rank, 0 + 1 + 2 + ..., whatever the element, the size or the segments: the
//                  bits of one rank that adds the terms one after another
//   broadcast, all-gather, all-to-all add nothing; reduce (a chain) adds 1 + 2 + ... + root
#pragma once

#include <cstddef>
#include <vector>

#include "sim/base/result.h"
#include "sim/ccl/schedule.h"

namespace quintet::engine {

enum class SumOrder {
  of_schedule,  // as the schedule's steps come
  by_rank,
};

struct ChosenSchedule {
  Schedule schedule;
  SumOrder order = SumOrder::of_schedule;
};

struct ScheduleChoice {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  std::vector<int> levels;  // sizes inside out, product: the ranks
  // Positions in the order of the levels, for ring, tree and hierarchical; empty: 0, 1, 2, ...
  std::vector<int> order;
  int tree_pieces = 1;  // per half of the buffer
};

// An error where the algorithm does not do the kind, or needs a switch that computes.
Result<ChosenSchedule> chosen_schedule(const ScheduleChoice& choice);

}  // namespace quintet::engine
