// For the plan that was chosen of several: what each layer's decision is worth, what limits it now,
// what change of the machine would help most, how robust the choice is, and which of the plans no
// other beats in step time, memory, energy and money. `quintet plan advise` and `quintet search`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/advice/limits.h"
#include "sim/advice/machine_worth.h"
#include "sim/advice/neighbours.h"
#include "sim/advice/robustness.h"
#include "sim/advice/worth.h"
#include "sim/answer/busiest_links.h"

namespace quintet {

// A plan as whoever chose it judged it.
struct TopPlan {
  Plan plan;
  Seconds step;
  Bytes memory, capacity;        // of the fullest rank, of a GPU; capacity 0: not known
  Joules energy;                 // of a step; 0: not known
  std::optional<Dollars> money;  // of a step; none: not known
};

struct AdviceInput {
  std::string model, machine_name;  // as reports call them
  std::vector<TopPlan> top;         // one or more, the chosen one first
  Plan usual;                       // what decisions are compared with
  std::string usual_is;             // what that is, a sentence
  Machine machine;
  std::optional<Prices> prices{};  // none: changes of the machine have no price
  Rebuild rebuild{};               // empty: parts are not counted otherwise
};

// Of `top` so many, beside the chosen one, are held to what may go wrong.
inline constexpr std::size_t most_runner_ups = 4;

struct JudgedPlan {
  std::string name;
  Seconds step;
  std::optional<double> headroom;  // share of the memory that is left; none: not known
  std::optional<Joules> energy;
  std::optional<Dollars> money;
  bool on_front = false;
  bool operator==(const JudgedPlan&) const = default;
};

struct Advice {
  std::string model, machine, usual_is;
  Plan usual;
  std::vector<std::string> plans;  // names, the chosen one first, the runner-ups next
  Evaluated chosen;
  std::vector<PathShare> path;
  std::vector<BusyLinks> busiest;
  PlanWorth worth;
  std::vector<MachineWorth> machine_worths;
  std::vector<Limit> limits;
  Robustness robustness;
  std::optional<FasterNeighbour> faster;  // one decision away, and it fits
  std::vector<JudgedPlan> judged;         // all of `top`, in its order
};

// Fails where the chosen plan cannot be evaluated on the machine. The same for any number of
// threads.
Result<Advice> advise(const AdviceInput& input, const Evaluator& evaluator, const Effort& effort);

// Which of them no other beats: as fast, with as much memory left, as little energy and money, and
// better in one. What is not known of any plan is left out.
std::vector<JudgedPlan> judged_plans(const std::vector<TopPlan>& top);

}  // namespace quintet
