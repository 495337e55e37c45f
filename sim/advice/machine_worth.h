// What a better machine would do for a plan: its step where one part is a tenth better, and twice
// as good, and what that costs where prices know it.
//
// Other plans may be better on the better machine; this is the plan as it is, and so the least that
// the change is worth. More GPU memory does nothing for a plan that fits: there, the fastest plan
// counts that is one or two decisions away (neighbours.h) and fits into the larger memory only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/advice/attempts.h"
#include "sim/advice/machine_change.h"
#include "sim/json/field_change.h"
#include "sim/money/prices.h"

namespace quintet {

// The machine built anew with fields of its file changed (`topology.nics`), where it is a file's.
using Rebuild = std::function<Result<Machine>(const FieldChanges& changes)>;

struct MachineWorth {
  std::string part;                    // "NIC rate", "NICs of a host: 4 to 8"
  std::optional<MachinePart> of;       // none: it is built anew, or of the memory
  Outcome tenth;                       // 10 % better; why_not is empty where that means nothing
  Outcome twice;                       // twice as good, or as `part` says
  std::optional<RankBreakdown> where;  // the step with it twice as good goes
  std::optional<Dollars> bought;       // more than for the machine as it is; none: not known
  std::string note;
};

// (step / step with a tenth more - 1) / 0.1, so 1 where all of the step goes with the part, 0 where
// nothing does; none where it is not known.
std::optional<double> elasticity(Seconds step, const MachineWorth& worth);
// Of what was bought; none where nothing is saved or no price is known.
std::optional<Dollars> dollars_per_millisecond(Seconds step, const MachineWorth& worth);

struct MachineQuestion {
  const Plan& plan;
  const Machine& machine;
  const std::optional<Prices>& prices;
  const Rebuild& rebuild;  // may be empty
};

// What saves most when twice as good first.
std::vector<MachineWorth> machine_worths(const MachineQuestion& question,
                                         const Evaluator& evaluator, const Effort& effort);

}  // namespace quintet
