// Verbs that need libraries of their own are programs of their own, `quintet-VERB`, that `quintet`
// becomes, as git does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet {

// For the list of verbs, built or not.
std::vector<VerbText> sibling_verbs();

// Whether another program of the build does this verb.
bool is_sibling(const std::string& verb);

// Where the program lies that does this verb: beside this one, else as PATH finds it; empty: no
// sibling does it.
std::string sibling_program(const std::string& verb);

// Nothing when the first word is no sibling's verb. Otherwise does not return, but when the program
// cannot be started. It is looked for beside this one, then in PATH.
std::optional<ExitCode> become_sibling(const std::vector<std::string>& given);

}  // namespace quintet
