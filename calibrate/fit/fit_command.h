// quintet fit: a cost table from files of other tools.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

std::unique_ptr<Verb> fit_verb();

}  // namespace quintet::calibrate
