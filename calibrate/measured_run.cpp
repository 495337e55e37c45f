#include "calibrate/measured_run.h"

#include <algorithm>
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

struct Interval {
  Instant from, to;
};

// When bytes moved somewhere, in order and apart. All ranks are on one machine.
std::vector<Interval> moving(const Timeline& timeline) {
  std::vector<Interval> all;
  for (const Span& span : timeline.spans)
    if (is_communication(timeline.infos[static_cast<std::size_t>(span.info)].kind))
      all.push_back({span.moving, span.end});
  std::sort(all.begin(), all.end(),
            [](const Interval& left, const Interval& right) { return left.from < right.from; });
  std::vector<Interval> apart;
  for (const Interval& each : all)
    if (apart.empty() || each.from > apart.back().to)
      apart.push_back(each);
    else
      apart.back().to = std::max(apart.back().to, each.to);
  return apart;
}

std::vector<Disturbed> disturbed(const Timeline& timeline) {
  const std::vector<Interval> intervals = moving(timeline);
  std::vector<Disturbed> all;
  for (const Span& span : timeline.spans) {
    const auto next =
        std::lower_bound(intervals.begin(), intervals.end(), span.start,
                         [](const Interval& each, Instant start) { return each.to <= start; });
    const bool moves = next != intervals.end() && next->from < span.end;
    all.push_back(moves ? Disturbed::yes : Disturbed::no);
  }
  return all;
}

}  // namespace

std::optional<Error> add_measured_run(const Program& program, const Timeline& timeline,
                                      const std::string& where, OperatorSamples& samples) {
  if (!timeline.measurement || timeline.cpu.size() != timeline.spans.size())
    return Error{where, "has no processor times; expected what quintet run --timeline writes"};
  if (auto error = of_another_program(program, timeline, where)) return error;
  samples.add(program, timeline.spans, timeline.cpu, disturbed(timeline));
  return std::nullopt;
}

}  // namespace quintet::calibrate
