// Program -> Program: collectives of the axes that the plan wants hierarchical become phases inside
// and across hosts, each a collective of its own on its own communicator (design: the engine runs
// them as such).
#pragma once

#include "sim/plan/intra_inter.h"
#include "sim/program/program.h"

namespace quintet {

// ranks_per_host: ranks 0 .. ranks_per_host - 1 share a host, and so on. Groups that lie inside one
// host, have one rank a host, or do not fill hosts evenly stay as they are.
Program decompose(Program program, const IntraInter& intra_inter, int ranks_per_host);

}  // namespace quintet
