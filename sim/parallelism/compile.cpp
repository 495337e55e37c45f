#include "sim/parallelism/compile.h"

#include <cassert>

#include "sim/parallelism/program_builder.h"
#include "sim/parallelism/stage_script.h"

namespace quintet {

Program compile(const Model& model, const Plan& plan, const CompileOptions& options) {
  ProgramBuilder builder(plan, options.ranks_per_host);
  for (int stage = 0; stage < plan.parallelism.pipeline; ++stage)
    builder.add(stage_role(model, plan, options, stage, builder));
  Program program = std::move(builder).program();
  assert(faults(program).empty());
  return program;
}

}  // namespace quintet
