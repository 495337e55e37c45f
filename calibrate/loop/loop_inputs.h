// What `quintet loop` was told, read and checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/picture/picture_files.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct LoopArguments {
  std::vector<std::string> models, plans{"auto"}, set;
  std::string topology, costs = "loop-costs.json", folder = "loop", data = "the-valley";
  std::string kernels = "fast", journal, device = "cpu";
  PictureFiles pictures;
  // 0: 4 ranks, on GPUs as many as are here; sequences of 128, on GPUs of 1024
  int ranks = 0, length = 0;
  int steps = 10, warm_up = 3, sequences = 16;
  double time = 120;
  std::optional<double> within;  // seconds
  bool busy = false, json = false, without_shape = false, keep_costs = false, resume = false;
};

struct NamedModel {
  std::string file, name;
  Model model;
};

struct LoopCaseInput {
  const NamedModel* model = nullptr;  // of Loop::models
  Plan plan;
  std::string file;
};

struct Loop {
  std::vector<NamedModel> models;
  Topology topology;
  std::vector<LoopCaseInput> cases;
};

// As asked for; otherwise 4 on processor cores, and as many as there are both GPUs here and slots
// in the topology, at least 1.
int ranks_of(const LoopArguments& arguments, const Topology& topology);

// Models, topology and plans; plans are written into the folder, where programs find them. Fails
// where a plan does not fit a model, or the topology's ranks are not what computes.
Result<Loop> read_loop(const LoopArguments& arguments);

// Whether the table prices all that the plans compute, and knows what computes. What bytes bound
// goes on in proportion beyond the largest measured; products and attention do not, and must lie
// inside.
bool covers(const CostTable& table, const Loop& loop);

// Sizes outside those measured, a sentence each.
std::vector<std::string> outside(const CostTable& table, const Loop& loop);

}  // namespace quintet::calibrate
