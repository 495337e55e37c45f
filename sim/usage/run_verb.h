// From a command line to the verb that it names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet {

using Verbs = std::vector<std::unique_ptr<Verb>>;

// `given`: what stands behind the program's name. Help goes to the standard output, what is wrong
// to the standard error.
ExitCode run_verb(CLI::App& program, const Verbs& verbs, const std::vector<std::string>& given);

}  // namespace quintet
