// `quintet loop`: calibrate, predict, run, compare.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

// `quintet loop`: calibrates where there are no costs, predicts, runs and compares.
std::unique_ptr<Verb> loop_verb();

}  // namespace quintet::calibrate
