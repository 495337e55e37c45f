// The best of many ways to run jobs side by side: where each runs, which way its traffic goes,
// which class it has, when it begins.
//
// Candidates, in three rounds, each simulated with all jobs together (joint_run.h):
//   1. placements: packed, first-fit, random, spread, jobs in the file's order and those that
//      communicate most first, and as many random ones as the effort allows
//   2. on the best placements: routes as planned, and chosen job by job, most GPU-intense first,
//      onto the links that are least full then (Crux, SIGCOMM 2024, section 4.1)
//   3. on the best of these: traffic classes as the file has them and by GPU intensity (Crux,
//   section
//      4.2, without its correction factors), begins as the file has them and turned against one
//      another (circle.h), steps one after the other and at the pace of the common circle
// The winner is the least by what is minimised, then by the other; of equals the first. It is never
// worse than a baseline, since these are among the candidates. The same seed gives the same answer,
// on any number of threads.
//
// Offsets are found for jobs that run at once: of jobs that wait for places of others they only
// delay the begin.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/jobs/outlook.h"
#include "sim/jobs/placement.h"

namespace quintet {

enum class Minimised { worst_slowdown, makespan };
std::string_view name_of(Minimised minimised);

struct ChooseWish {
  Minimised minimised = Minimised::worst_slowdown;
  std::uint64_t seed = 1;
  int random_placements = 8;
  int kept = 3;  // of each round
  int threads = 1;
  JointOptions joint{};  // of the winner and the baselines; candidates are walked as long
  std::function<void(double share)> progress{};
};

struct JobChoice {
  std::string name;  // "packed; routes chosen; classes by GPU intensity; turned"
  JobDecisions decisions;
  Outlook outlook;
};

struct Chosen {
  JobChoice best;
  std::vector<JobChoice> baselines;  // packed, random, first-fit, as files say of the rest
  int simulated = 0;                 // candidates, baselines among them
};

Result<Chosen> choose(const JobsOnMachine& machine, const std::vector<JobReference>& references,
                      const ChooseWish& wish);

}  // namespace quintet
