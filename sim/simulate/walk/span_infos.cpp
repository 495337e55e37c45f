#include "sim/simulate/walk/span_infos.h"

#include "sim/program/tasks.h"
#include "sim/timeline/program_infos.h"

namespace quintet {

std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const std::vector<std::int32_t>& patterns) {
  std::vector<SpanInfo> infos = program_infos(program);
  const std::vector<const Instruction*> instructions = all_instructions(program);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const auto* const collective = std::get_if<Collective>(&instructions[i]->action);
    if (!collective) continue;
    const auto& groups =
        communications
            .collectives[collective->communicator.index()][static_cast<std::size_t>(patterns[i])];
    if (!groups.empty())
      infos[i].detail = communications.details[static_cast<std::size_t>(groups.front().detail)];
  }
  return infos;
}

}  // namespace quintet
