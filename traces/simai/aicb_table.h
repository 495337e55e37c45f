// AICB's tables: a row per collective of one rank, with what it took where that was measured.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "traces/workload/workload.h"

namespace quintet::simai {

bool is_aicb_table(std::string_view beginning);
Result<Workload> parse_aicb_table(std::string_view text, const std::string& where);

}  // namespace quintet::simai
