// Several programs on the links of one machine, each folded as far as it can be together with the
// others.
//
// A link that several jobs load is one class with others only where every one of these jobs folds
// them into one class. Jobs are folded again and again, told by Communications::futures which
// shared links the others tell apart, until nothing more is: then links and flows of all jobs are
// an equitable partition, as a single job's are (sim/simulate/fold/colour_refinement.h), and every
// member of a class has the same rates at the same times. Links of one job are its own business:
// a job that shares none is folded as it is alone.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/link_load.h"
#include "sim/price/communications.h"
#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"
#include "sim/topology/topology.h"

namespace quintet {

// A job's program, and its communications between its own places.
struct CommunicatingJob {
  const Program* program = nullptr;
  Communications communications;
};

struct JointWorld {
  std::vector<LinkShare> links;     // classes of links, those of all jobs
  std::vector<LinkId> shown_links;  // first member of each
  std::vector<int> link_counts;
  std::vector<std::int32_t> class_of_link;  // per link of the topology; -1: nobody loads it
  std::vector<FoldedWorld> worlds;          // per job; its prices load the classes above
  std::vector<std::vector<int>> loaded_by;  // per link of the topology: jobs, ascending
};

// Sets the futures of the jobs' communications. `links`: of the topology. A link that jobs find of
// different capacity (they frame or spray differently) has the largest, and loads it more.
JointWorld joint_world(std::vector<CommunicatingJob>& jobs, std::size_t links,
                       Folding folding = Folding::equivalent);

}  // namespace quintet
