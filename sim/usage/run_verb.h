// From a command line to the verb that it names.
#pragma once

#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet {

// `given`: what stands behind the program's name. Help goes to the standard output, what is wrong
// to the standard error.
ExitCode run_verb(const CommandLine& program, const std::vector<std::string>& given);

}  // namespace quintet
