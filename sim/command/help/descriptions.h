// All verbs that `quintet` has, its siblings' too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/usage/description.h"

namespace quintet {

// In the order in which help lists them. A sibling that was not built, or does not answer, is there
// without options.
std::vector<VerbDescription> all_descriptions(const CommandLine& program);

// One verb's, where a sibling is asked only if the verb is its own; nothing: there is no such verb.
std::optional<VerbDescription> description_of_verb(const CommandLine& program,
                                                   const std::string& verb);

}  // namespace quintet
