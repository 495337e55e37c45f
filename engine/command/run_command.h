// `quintet run`: starts the ranks, or is one of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet::engine {

// `given`: the command line, which the ranks get again.
std::unique_ptr<Verb> add_run(CLI::App& program, const std::vector<std::string>& given);

}  // namespace quintet::engine
