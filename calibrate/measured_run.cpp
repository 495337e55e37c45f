#include "calibrate/measured_run.h"

#include <cstddef>
#include <vector>

#include "sim/timeline/program_infos.h"

namespace quintet::calibrate {
namespace {

// What differs would be an operator with another's time.
std::optional<Error> of_another_program(const Program& program, const Timeline& timeline,
                                        const std::string& where) {
  const std::vector<SpanInfo> infos = program_infos(program);
  if (timeline.infos.size() != infos.size())
    return Error{where, "has " + std::to_string(timeline.infos.size()) +
                            " kinds of instructions, the plan's program has " +
                            std::to_string(infos.size()) + "; expected a run of this plan"};
  for (std::size_t index = 0; index < infos.size(); ++index)
    if (timeline.infos[index].name != infos[index].name ||
        timeline.infos[index].phase != infos[index].phase ||
        timeline.infos[index].size != infos[index].size)
      return Error{where, "instruction " + std::to_string(index) + " is \"" +
                              timeline.infos[index].name + "\", in the plan's program \"" +
                              infos[index].name + "\"; expected a run of this plan"};
  return std::nullopt;
}

}  // namespace

std::optional<Error> add_measured_run(const Program& program, const Timeline& timeline,
                                      const std::string& where, OperatorSamples& samples) {
  if (!timeline.measurement || timeline.cpu.size() != timeline.spans.size())
    return Error{where, "has no processor times; expected what quintet run --timeline writes"};
  if (auto error = of_another_program(program, timeline, where)) return error;
  samples.add(program, timeline.spans, timeline.cpu);
  return std::nullopt;
}

}  // namespace quintet::calibrate
