// The command line of quintet-calibrate.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

// `quintet calibrate`: measures, and writes costs.json; its help says what it exits with.
std::unique_ptr<Verb> calibrate_verb();

}  // namespace quintet::calibrate
