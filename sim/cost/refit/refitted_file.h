// A file of costs without some of its measured points, as refitted() has them; all else stays as
// the file says it, formulas and what only other programs read included.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/cost/refit/cost_part.h"

namespace quintet {

// Of the text of a file (`where`): the same text if nothing is excluded; else the source of the
// table says how many points are missing. Fails as parse_cost_table() does, and with
// why_not_without().
Result<std::string> refitted_text(const std::string& text, const std::string& where,
                                  const ExcludedPoints& excluded);

}  // namespace quintet
