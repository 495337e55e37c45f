// The files that a scenario names: chosen and checked one at a time, so that a file that is broken
// changes nothing; and written again as they are after its edits.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gui/scenario/scenario.h"
#include "sim/base/result.h"

namespace quintet::gui {

enum class InputKind { model, topology, plan, costs, stack };
std::string_view name_of(InputKind kind);  // for people: "machine"; else empty

// A file or a shipped name, as the scenario has it; empty: as usual (costs, stack).
const std::string& input_of(const Scenario& scenario, InputKind kind);
std::vector<std::string> shipped_inputs(InputKind kind);

// Fails, with place and remedy, where there is no such file or its reader refuses it. Another
// machine comes with as many hosts as its file says.
Result<Scenario> with_input(Scenario scenario, InputKind kind, const std::string& given);

// The plan with what the scenario asks of it, as a file. `ranks`: places of the machine.
Result<std::string> edited_plan_text(const Scenario& scenario, int ranks);
// The machine likewise, every device and link, but for its faults, which stay a matter of
// --fail and its like: its parts keep their names.
Result<std::string> edited_machine_text(const Scenario& scenario);
// The scenario on such files. Its prediction is the same, to the last digit.
Scenario on_saved_plan(Scenario scenario, const std::string& file);
Scenario on_saved_machine(Scenario scenario, const std::string& file);

}  // namespace quintet::gui
