// One rank of a job, as a process.
#pragma once

#include "engine/command/run_arguments.h"
#include "engine/launch/launcher.h"
#include "engine/launch/rank_identity.h"

namespace quintet::engine {

RankExit run_rank(const RunArguments& arguments, const RankIdentity& identity);

}  // namespace quintet::engine
