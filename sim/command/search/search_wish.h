// What is wanted of a search, read from its options.
#pragma once

#include <optional>
#include <string_view>

#include "sim/base/result.h"
#include "sim/command/search/search_options.h"
#include "sim/search/objective.h"

namespace quintet {

// --objective, --pay, --budget, --deadline, with the run that they are about. The error's place is
// the option.
Result<Wanted> search_wish(const SearchArguments& arguments);

// "90 s", "30 min", "12 h", "30 d": above zero.
Result<Seconds> parse_long_time(std::string_view text);

}  // namespace quintet
