// The command line of quintet-calibrate.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

std::unique_ptr<Verb> add_calibrate(CLI::App& program);

}  // namespace quintet::calibrate
