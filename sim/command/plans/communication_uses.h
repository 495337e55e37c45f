// Which bytes a rank sends in a step, where to, and what computes meanwhile: counted on the
// Program.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/topology/topology.h"

namespace quintet {

// A use of communication that comes again and again in a step, on the rank of the stage where it
// moves most.
struct CommunicationUse {
  std::string axis;          // "tensor", or the communicator's name; "pipeline" for messages
  std::string what;          // "all-gather"
  std::string purpose;       // "the block's input, from parts of the sequence"
  std::string stage;         // "every stage", "stage 0"
  int ranks = 1, hosts = 1;  // that take part
  int uses = 0;              // per step
  Bytes buffer;              // of all uses, nccl-tests' size: a rank's full buffer
  // What a rank sends for it at least: (n - 1) / n of the buffer among n ranks, of an all-reduce
  // twice that (Patarasuk and Yuan 2009); a message once.
  Bytes sent;
  std::vector<std::string>
      under;  // what may compute meanwhile, most often first; none: kernels wait
};

// In the order of axes, the most bytes first. The program is the plan's on this machine.
std::vector<CommunicationUse> communication_uses(const Program& program, const Plan& plan,
                                                 const Topology& topology);

}  // namespace quintet
