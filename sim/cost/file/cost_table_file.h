// costs.json <-> CostTable.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/json/field_change.h"
#include "sim/json/field_description.h"

namespace quintet {

// Checks ranges, keys and sources. The error names the file (`where`), the place and what is
// accepted.
Result<CostTable> read_cost_table(const std::filesystem::path& file);
// With other values in fields, as by --set costs.communication.bandwidth_factor=0.9.
Result<CostTable> read_changed_cost_table(const std::filesystem::path& file,
                                          const FieldChanges& changes);
Result<CostTable> parse_changed_cost_table(const std::string& text, const std::string& where,
                                           const FieldChanges& changes);
Result<CostTable> parse_cost_table(const std::string& text, const std::string& where);
// What calibration measures, not the formulas of kernels: reads back to an equal table, where that
// has operators, curves, processors, launches and copies, communication and whole steps only.
std::string text_of(CostTable table);
// All fields that a table may have.
FieldDescription cost_fields();

}  // namespace quintet
