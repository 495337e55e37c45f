// From a command line to a space: what is fixed, listed or free.
#pragma once

#include <string>
#include <vector>

#include "sim/asked/settings.h"
#include "sim/base/result.h"
#include "sim/command/search/search_options.h"
#include "sim/search/search_fields.h"

namespace quintet {

// What was asked for, by file. A value "a..b" is all whole numbers from a to b.
struct SearchSettings {
  AskedFields plan, machine, prices;  // machine: topology and costs
  std::vector<const SearchField*> free;
  bool all_said = false;  // by a plan's file: what nobody frees is as it says
};

Result<SearchSettings> search_settings(const SearchArguments& arguments);

// All else that the plan says, and the dimensions of the rest.
Result<Space> search_space(const SearchArguments& arguments, const SearchSettings& settings,
                           const FreeContext& context);

// Of a step, where the command line or the plan's file says it; 0: it does not, or says several.
int asked_global_batch(const SearchArguments& arguments, const SearchSettings& settings);

// "8,16..18" -> 8, 16, 17, 18. `asked` stands before values in messages.
Result<std::vector<std::string>> with_ranges(const std::vector<std::string>& values,
                                             const std::string& asked);

// A line per field: what it is called and what is tried when it is free.
std::string search_fields_text(const FreeContext& context);

}  // namespace quintet
