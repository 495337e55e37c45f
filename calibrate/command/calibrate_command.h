// The command line of quintet-calibrate.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

std::unique_ptr<Verb> calibrate_verb();

}  // namespace quintet::calibrate
