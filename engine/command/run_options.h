// What `quintet run` can be told, as its help says it.
#pragma once

#include "engine/command/run_arguments.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

// What is given goes into `into`, which must outlive the parsing and holds the defaults.
Options run_options(RunArguments& into);

}  // namespace quintet::engine
