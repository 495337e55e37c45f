// When jobs should begin so that their communications fall between one another's: CASSINI's
// geometric abstraction (Rajasekaran, Ghobadi, Akella, NSDI 2024, sections 3 and 4).
//
// Time is rolled around a circle that holds a whole number of each job's steps. On a link, a job's
// communication is arcs of the circle with the share of the link that they want; jobs are rotated
// against one another until, summed over links and over the circle, as little as possible is wanted
// beyond what links have. CASSINI rotates jobs link by link and joins the links' answers in a graph
// that must have no loop; here the jobs are rotated for all links at once, one after the other
// until no rotation of one is better, from several beginnings.
//
// For example two jobs of steps of 4 with arcs on 0..2: wanted together are 2, 2, 0, 0, one link's
// worth too much for half the circle. With the second turned by 2 it is 1, 1, 1, 1: nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/jobs/alone.h"

namespace quintet {

// What a job wants of links, in equal bins of one of its steps: shares of their capacity.
using LinkPattern = std::vector<double>;

struct CircleJob {
  int turns = 1;                        // steps on the circle
  std::vector<LinkPattern> of_spots{};  // per spot; empty: it does not load it
};

struct Circle {
  int bins = 1;                      // a multiple of every job's turns
  std::vector<double> spot_weights;  // a spot: links that the same jobs load alike; how many
  std::vector<CircleJob> jobs;
};

struct Rotation {
  std::vector<int> bins;  // per job by how many it begins later
  double excess = 0;      // wanted beyond what is there, in bins of whole links
};

// Excess of these rotations.
double excess(const Circle& circle, const std::vector<int>& rotations);

// Not worse than no rotation. `tries`: beginnings drawn by the seed, beside that of no rotation.
Rotation best_rotation(const Circle& circle, std::uint64_t seed, int tries);

// Steps that fit on one circle, drawn out as little as can be.
struct CommonCircle {
  Seconds length;
  std::vector<int> turns;  // per job
  double drawn_out = 0;    // the most that any job's step becomes longer, as a share
};

// At most `most_turns` steps of any job. The shortest circle among those that draw steps out by the
// least, or by no more than a thousandth beyond it.
CommonCircle common_circle(const std::vector<Seconds>& steps, int most_turns);

// Patterns of jobs on the links that two or more of them load.
Circle circle_of(const std::vector<AloneJob>& jobs, const CommonCircle& common, int bins_of_turn);

}  // namespace quintet
