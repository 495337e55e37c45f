// The verbs of `quintet`.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet {

std::unique_ptr<Verb> add_simulate(CLI::App& program);
std::unique_ptr<Verb> add_compare(CLI::App& program);
std::unique_ptr<Verb> add_topology(CLI::App& program);
std::unique_ptr<Verb> add_validate(CLI::App& program);
// Prints a bash completion made from the program's own options.
std::unique_ptr<Verb> add_completion(CLI::App& program);

}  // namespace quintet
