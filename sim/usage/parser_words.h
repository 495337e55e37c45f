// What CLI11 finds wrong with a command line, in the words of our other messages: what was
// expected, what was found.
#pragma once

#include <string>

#include "sim/usage/verb.h"

namespace quintet {

// `error`: what CLI11 threw while it parsed the line of this verb (or the program's own).
std::string in_our_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace quintet
