// What `quintet run` can be told, as its help says it.
#pragma once

#include "engine/command/run_arguments.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

Options run_options(RunArguments& into);

}  // namespace quintet::engine
