// `quintet loop`: calibrate, predict, run, compare.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

std::unique_ptr<Verb> add_loop(CLI::App& program);

}  // namespace quintet::calibrate
