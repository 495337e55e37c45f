// quintet fit: a cost table from files of other tools.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

// `quintet fit`: costs.json out of files of other tools' measurements (measurement_files.h).
std::unique_ptr<Verb> fit_verb();

}  // namespace quintet::calibrate
