// traces/prices.json -> Prices. Amounts are text with a unit ("25000 $", "0.08 $"); the fields and
// what they mean: traces/README.md, `quintet plan fields prices`, `quintet schema prices`.
#pragma once

#include <filesystem>
#include <string>

#include "sim/base/result.h"
#include "sim/json/field_change.h"
#include "sim/json/field_description.h"
#include "sim/money/prices.h"

namespace quintet {

// Refuses unknown keys, ranges that are none, prices without source or year, lists that do not
// ascend. The error names file and place, or the change that is at fault.
Result<Prices> read_prices(const std::filesystem::path& file, const FieldChanges& changes = {});
Result<Prices> parse_prices(const std::string& text, const std::string& where);

FieldDescription price_fields();

}  // namespace quintet
