// The machines of a search: every topology with every number of hosts and every value asked for.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/command/search/search_options.h"
#include "sim/command/search/search_space.h"
#include "sim/search/search.h"

namespace quintet {

// Machines that can be built, each as `quintet simulate` would read it, by the names that tell them
// apart; and how many of those asked for cannot.
struct SearchMachines {
  std::vector<Inputs> inputs;
  std::vector<std::string> names;
  std::vector<InputNames> asked;           // by which each was read
  std::vector<std::optional<Bill>> bills;  // one each; none where no money is asked for
  std::vector<std::string> left_out;       // sentences
};

// `limits`: machines that cost more to buy are left out. Fails where none is left.
Result<SearchMachines> search_machines(const SearchArguments& arguments,
                                       const SearchSettings& settings, const Wanted& wanted);

}  // namespace quintet
