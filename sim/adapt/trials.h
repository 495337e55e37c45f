// Whether plans that were changed to are as fast as was predicted of them: the first steps of each
// are held against the last step of the plan before it. What is slower is left again, and not tried
// again for links that are as late. Pure.
//
//   plan   A    A    B    B    A           B is refuted for these delays
//   step   300  300  310  310  300 ms
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/adapt/candidates.h"
#include "sim/adapt/link_watch.h"
#include "sim/base/units.h"

namespace quintet {

struct TrialRules {
  double worse = 0.02;  // longer by more than this share of the step before the change
  int steps = 2;        // in a row that say the same end a trial
  bool operator==(const TrialRules&) const = default;
};

struct Trial {
  Candidate before;             // the plan that was left
  Seconds step;                 // its last
  std::vector<Seconds> delays;  // for which it was left
  int worse = 0, as_good = 0;   // steps in a row
};

// A candidate that was slower than what it took the place of, by its name.
struct Refuted {
  std::string name;
  std::vector<Seconds> delays;
};

struct Trials {
  std::string running = as_planned;  // the candidate that runs
  std::optional<Trial> under_way{};  // of it
  std::vector<Refuted> refuted{};
};

// After one more step of the plan that is tried. Nothing is under way any more when it was as good
// for so many steps.
Trials tried_on(Trials trials, Seconds step, const TrialRules& rules);
bool has_failed(const Trials& trials, const TrialRules& rules);
// What was tried is refuted and the plan before it runs: of trials one of which has failed.
Trials gone_back(Trials trials);

// Candidates not to be tried with links so late.
std::vector<std::string> refuted_for(const Trials& trials, const std::vector<Seconds>& delays,
                                     const WatchRules& rules);

}  // namespace quintet
