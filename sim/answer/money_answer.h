// What a step and a run cost, for people and for programs. Pure.
#pragma once

#include <optional>
#include <string>

#include "sim/base/report.h"
#include "sim/json/json_value.h"
#include "sim/money/bill.h"
#include "sim/training_run/training_run.h"

namespace quintet {

// "owned 2,345 $ an hour (1,500 to 4,300), rented 3,072 $ (2,038 to 5,120); a step 5.71 or 7.48 $;
// the run 10.2 or 13.4 million $"
std::string text_of(const Money& money, const std::optional<TrainingRun>& run);

// A row per part that is bought, then an hour's sums, then what a step and the run come to, then
// the sources that rows name by number. `name`: of the plan.
std::vector<ReportSection> money_sections(const std::string& name, const Money& money,
                                          const std::optional<TrainingRun>& run);

// Keys: docs/schema/simulate.json. Null without money.
JsonValue money_json(const std::optional<Money>& money, const std::optional<TrainingRun>& run);

}  // namespace quintet
