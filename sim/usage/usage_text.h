// What is wrong with a command line, in the words of our other messages: what was expected, what
// was found, what was probably meant.
#pragma once

#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet {

// `refusal`: what CLI11 said when it refused the words that were given.
std::string usage_text(const CommandLine& program, const std::string& refusal,
                       const std::vector<std::string>& given);

}  // namespace quintet
