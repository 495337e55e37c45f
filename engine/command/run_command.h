// `quintet run`: starts the ranks, or is one of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet::engine {

// `command_line`: what stands behind the program's name; ranks get it again.
std::unique_ptr<Verb> train_verb(const std::vector<std::string>& command_line);

}  // namespace quintet::engine
