// What `quintet calibrate` was told, read and checked.
#pragma once

#include <string>
#include <vector>

#include "calibrate/command/calibrate_options.h"
#include "calibrate/probes/probe.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct CalibrateInputs {
  std::vector<Model> models;  // one where plans are given
  Topology topology;
  std::vector<Plan> plans;
};

// Files or shipped names; plans without a name take their file's. The error names the option or
// file, the place and what is accepted.
Result<CalibrateInputs> read_inputs(const CalibrateArguments& arguments);

// How many ranks share the machine; on GPUs no more than are here.
int ranks_of(const CalibrateArguments& arguments, const Topology& topology);

// What curves are to hold for. Models that differ in nothing but size count once.
Result<ProbeRange> range_of(const CalibrateArguments& arguments, const CalibrateInputs& inputs);

}  // namespace quintet::calibrate
