#include "sim/simulate/walk/changing_world.h"

#include <variant>

namespace quintet {

ChangingWorld::ChangingWorld(const ExecutorInput& input, std::span<const ComputeKind> computing,
                             RunningGpuKernels& kernels, RunningCpuKernels& cpu_kernels)
    : input_(input), computing_(computing), kernels_(kernels), cpu_kernels_(cpu_kernels) {}

void ChangingWorld::begin() {
  for (const WorldChange& change : input_.changes)
    changing_.push_back(input_.events.at(change.at, [this, &change] { become(change); }));
}

void ChangingWorld::end() {
  for (; changed_ < changing_.size(); ++changed_) input_.events.cancel(changing_[changed_]);
}

void ChangingWorld::become(const WorldChange& change) {
  ++changed_;
  state_ = static_cast<std::size_t>(change.state);
  const FoldedWorld& world = input_.world;
  for (std::size_t link = 0; link < world.links.size(); ++link)
    input_.fabric.set_capacity(static_cast<std::int32_t>(link),
                               change.capacities[world.shown_links[link].index()]);
  if (change.speeds.empty()) return;
  for (std::size_t actor = 0; actor < world.ranks.size(); ++actor) {
    const auto kind = static_cast<std::size_t>(world.ranks[actor].computes);
    const auto id = static_cast<std::int32_t>(actor);
    kernels_.set_pace(id, change.speeds[kind]);
    cpu_kernels_.set_speed(id, computing_[kind].speed * change.speeds[kind]);
  }
}

std::size_t ChangingWorld::priced_now(const Action& action, std::size_t pattern) const {
  if (state_ == 0) return pattern;
  const Communications& all = input_.communications;
  const auto* const collective = std::get_if<Collective>(&action);
  const std::size_t patterns = collective ? all.patterns[collective->communicator.index()].size()
                                          : all.message_patterns.size();
  return pattern + state_ * (patterns / static_cast<std::size_t>(input_.states));
}

}  // namespace quintet
