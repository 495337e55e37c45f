#include "engine/adapt/predicted_step.h"

#include <utility>

#include "sim/cost/file/cost_table_file.h"
#include "sim/simulate/adapted_step.h"
#include "sim/usage/shipped.h"

namespace quintet::engine {

Result<PredictStep> predicted_step(const Model& model, const Topology& topology,
                                   const CompileOptions& compile, const std::string& costs) {
  const auto file = find_file(FileKind::costs, costs.empty() ? "cpu-core" : costs);
  if (!file) return file.error();
  Result<CostTable> table = read_cost_table(*file);
  if (!table) return table.error();
  return PredictStep([&model, &topology, compile, table = *std::move(table)](
                         const Plan& plan, const PipelineState& state) {
    return simulated_step(model, topology, table, compile)(plan, state);
  });
}

}  // namespace quintet::engine
