// What `quintet run` can be told, as its help says it.
#pragma once

#include "engine/command/run_arguments.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

void add_run_options(CLI::App& app, RunArguments& into);

}  // namespace quintet::engine
