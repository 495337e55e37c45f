#include "sim/compile/step_program.h"

#include "sim/intra_inter/decompose.h"
#include "sim/plan/problems/problems.h"

namespace quintet {

namespace {

std::string problems_text(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += "\n";
    text += problem.field + ": " + problem.reason;
    if (!problem.remedy.empty()) text += "; " + problem.remedy;
  }
  return text;
}

}  // namespace

Program step_program(const Model& model, const Plan& plan, const Topology& topology,
                     const CompileOptions& options) {
  const int ranks_per_host = static_cast<int>(topology.hosts.front().gpus.size());
  CompileOptions on_hosts = options;
  on_hosts.ranks_per_host = ranks_per_host;
  Program program = decompose(compile(model, plan, on_hosts), plan.intra_inter, ranks_per_host);
  program.dealt = dealt_samples(plan.parallelism, ranks_per_host);
  return program;
}

Result<Program> checked_step_program(const Model& model, const Plan& plan, const Topology& topology,
                                     const CompileOptions& options) {
  const std::vector<Problem> found = problems(plan, model, topology);
  if (!found.empty()) return Error{"plan \"" + plan.name + "\"", problems_text(found)};
  return step_program(model, plan, topology, options);
}

}  // namespace quintet
