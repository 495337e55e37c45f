#include "sim/simulate/walk/running_gpu_kernels.h"

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

std::vector<KernelUse> uses_of(const InstructionTable& table, const ComputeKind& kind) {
  std::vector<KernelUse> uses(table.instructions.size());
  for (std::size_t index = 0; index < uses.size(); ++index) {
    const auto* compute = std::get_if<Compute>(&table.instructions[index]->action);
    if (!compute) continue;
    const PricedOperator work = as_priced(compute->work);
    uses[index] = kernel_use(work, *kind.costs);
    uses[index].time += kind.costs->launch.gap * gaps_beside(work, *kind.costs);
    uses[index].time = uses[index].time / kind.speed;
  }
  return uses;
}

}  // namespace

RunningGpuKernels::RunningGpuKernels(EventQueue& events, const InstructionTable& table,
                                     const std::vector<ComputeKind>& kinds,
                                     std::vector<std::int32_t> actors, Finished finished)
    : events_(events),
      kinds_(kinds),
      kind_of_actor_(std::move(actors)),
      finished_(std::move(finished)),
      classes_(table.instructions.size()),
      kernels_(kind_of_actor_.size()),
      appetites_(kind_of_actor_.size()),
      paces_(kind_of_actor_.size(), 1.0) {
  for (const ComputeKind& each : kinds) uses_.push_back(uses_of(table, each));
  for (std::size_t index = 0; index < classes_.size(); ++index)
    if (const auto* compute = std::get_if<Compute>(&table.instructions[index]->action))
      classes_[index] = class_of(as_priced(compute->work));
}

double RunningGpuKernels::factor(std::int32_t actor) const {
  const Appetite& appetite = appetites_[static_cast<std::size_t>(actor)];
  if (appetite.communications == 0) return 1.0;
  return kernel_slowdown(running(actor).use, running(actor).work, appetite.beside, costs(actor));
}

void RunningGpuKernels::begin(std::int32_t actor, std::int32_t task, std::int32_t instruction) {
  Kernel& kernel = running(actor);
  kernel.task = task;
  kernel.since = kernel.settled = events_.now();
  kernel.use = uses_[kind(actor)][static_cast<std::size_t>(instruction)];
  kernel.work = classes_[static_cast<std::size_t>(instruction)];
  kernel.left = kernel.use.time.value / paces_[static_cast<std::size_t>(actor)];
  kernel.factor = factor(actor);
  plan_end(actor);
}

void RunningGpuKernels::tell(Digest& digest, std::int32_t actor) const {
  const Appetite& appetite = appetites_[static_cast<std::size_t>(actor)];
  digest.add(appetite.communications).add(appetite.beside.busy_sms);
  digest.add(appetite.beside.memory_share);
  digest.add(appetite.beside.reducing).add(appetite.beside.copying);
  const Kernel& kernel = running(actor);
  if (kernel.task < 0) return;
  digest.add(kernel.settled - events_.now()).add(kernel.left).add(kernel.factor);
}

void RunningGpuKernels::plan_end(std::int32_t actor) {
  Kernel& kernel = running(actor);
  kernel.end = events_.after(duration(Seconds{kernel.left * kernel.factor}), [this, actor] {
    Kernel& ended = running(actor);
    finished_(actor, std::exchange(ended.task, -1), ended.since);
  });
}

void RunningGpuKernels::change(std::int32_t actor, const CommunicationPrice& price, int sign) {
  Appetite& appetite = appetites_[static_cast<std::size_t>(actor)];
  CommunicationBeside& beside = appetite.beside;
  appetite.communications += sign;
  beside.busy_sms += sign * price.busy_sms;
  beside.memory_share += sign * price.memory_share;
  if (price.busy_sms > 0)
    (price.moves == CommunicationClass::reducing ? beside.reducing : beside.copying) += sign;
  if (appetite.communications == 0) appetite = Appetite{};  // no dust left of sums and differences
  Kernel& kernel = running(actor);
  if (kernel.task < 0) return;
  const double now = factor(actor);
  if (now == kernel.factor) return;
  kernel.left -= seconds(events_.now() - kernel.settled).value / kernel.factor;
  kernel.left = std::max(kernel.left, 0.0);
  kernel.settled = events_.now();
  kernel.factor = now;
  events_.cancel(kernel.end);
  plan_end(actor);
}

}  // namespace quintet
