#include "sim/simulate/cpu_kernels.h"

#include <utility>

#include "sim/cost/kernel_time.h"

namespace quintet {

CpuKernels::CpuKernels(const EventQueue& events, Fabric& fabric, const InstructionTable& table,
                       const CostTable& costs, const FoldedWorld& world, Finished finished)
    : events_(events),
      fabric_(fabric),
      world_(world),
      finished_(std::move(finished)),
      times_(table.instructions.size()),
      busy_(world.ranks.size(), 0) {
  for (std::size_t index = 0; index < times_.size(); ++index)
    if (const auto* compute = std::get_if<Compute>(&table.instructions[index]->action))
      times_[index] = kernel_time(compute->work, costs);
}

void CpuKernels::begin(std::int32_t actor, std::int32_t task, std::int32_t instruction) {
  const Transport& cores = world_.transports[static_cast<std::size_t>(rank(actor).kernels)];
  busy_[static_cast<std::size_t>(actor)] = 1;
  FlowRequest request;
  request.demand.uses = cores.uses;
  request.demand.bound = cores.bound.value;
  request.work = (cores.bound * times_[static_cast<std::size_t>(instruction)]).value;
  request.done = [this, actor, task, since = events_.now()] {
    busy_[static_cast<std::size_t>(actor)] = 0;
    finished_(actor, task, since);
  };
  fabric_.start(std::move(request));
}

}  // namespace quintet
