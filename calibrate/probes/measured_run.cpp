#include "calibrate/probes/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "calibrate/probes/message_tail.h"
#include "sim/program/tasks.h"
#include "sim/timeline/program_infos.h"

namespace quintet::calibrate {
namespace {

// What differs would be an operator with another's time.
std::optional<Error> of_another_program(const Program& program, const Timeline& timeline,
                                        const std::string& where) {
  const std::vector<SpanInfo> infos = program_infos(program);
  if (timeline.infos.size() != infos.size())
    return Error{
        where,
        fmt::format(
            "has {} kinds of instructions, the plan's program has {}; expected a run of this plan",
            timeline.infos.size(), infos.size())};
  for (std::size_t index = 0; index < infos.size(); ++index)
    if (timeline.infos[index].name != infos[index].name ||
        timeline.infos[index].phase != infos[index].phase ||
        timeline.infos[index].size != infos[index].size)
      return Error{
          where,
          fmt::format(
              "instruction {} is \"{}\", in the plan's program \"{}\"; expected a run of this plan",
              index, timeline.infos[index].name, infos[index].name)};
  return std::nullopt;
}

struct Interval {
  Instant from, to;
};

// The cores of a machine are everybody's: whoever's bytes move, all kernels are disturbed. A GPU is
// its rank's own.
constexpr std::int32_t any_track = -1;

// When bytes moved, in order and apart. All ranks are on one machine.
std::vector<Interval> moving(const Timeline& timeline, std::int32_t track) {
  std::vector<Interval> all;
  for (const Span& span : timeline.spans)
    if ((track == any_track || span.track == track) &&
        is_communication(timeline.infos[static_cast<std::size_t>(span.info)].kind))
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

bool of_device(const Timeline& timeline) {
  return timeline.measurement && timeline.measurement->recording;
}

std::vector<Disturbed> disturbed(const Timeline& timeline) {
  std::map<std::int32_t, std::vector<Interval>> intervals;
  std::vector<Disturbed> all;
  for (const Span& span : timeline.spans) {
    const std::int32_t whose = of_device(timeline) ? span.track : any_track;
    const auto [of_track, fresh] = intervals.try_emplace(whose);
    if (fresh) of_track->second = moving(timeline, whose);
    const auto next =
        std::lower_bound(of_track->second.begin(), of_track->second.end(), span.start,
                         [](const Interval& each, Instant start) { return each.to <= start; });
    const bool moves = next != of_track->second.end() && next->from < span.end;
    all.push_back(moves ? Disturbed::yes : Disturbed::no);
  }
  return all;
}

// From the first kernel's start to the last one's end. An operator that launched none still needs a
// time above 0 for its curve: one that no step shows. Communication is the network's.
std::vector<Duration> device_times(const Timeline& timeline) {
  constexpr Duration least{1000};  // a nanosecond
  std::vector<Duration> times;
  for (const Span& span : timeline.spans) {
    const SpanKind kind = timeline.infos[static_cast<std::size_t>(span.info)].kind;
    times.push_back(kind == SpanKind::compute ? std::max(least, span.end - span.start)
                                              : Duration{});
  }
  return times;
}

// An operator takes the thread's core until the next one begins.
std::vector<Duration> thread_times(const Timeline& timeline) {
  const Duration between = time_between_operators(timeline);
  std::vector<Duration> times = timeline.cpu;
  for (std::size_t index = 0; index < times.size(); ++index)
    if (timeline.infos[static_cast<std::size_t>(timeline.spans[index].info)].kind ==
        SpanKind::compute)
      times[index] = times[index] + between;
  return times;
}

}  // namespace

std::optional<Error> add_measured_run(const Program& program, const Timeline& timeline,
                                      const std::string& where, OperatorSamples& samples) {
  return add_measured_run(program, program, timeline, where, samples);
}

std::optional<Error> add_measured_run(const Program& program, const Program& ran,
                                      const Timeline& timeline, const std::string& where,
                                      OperatorSamples& samples) {
  const bool device = of_device(timeline);
  if (!timeline.measurement || (!device && timeline.cpu.size() != timeline.spans.size()))
    return Error{where, "has no processor times; expected what quintet run --timeline writes"};
  if (auto error = of_another_program(ran, timeline, where)) return error;
  if (all_instructions(ran).size() != all_instructions(program).size())
    return Error{where,
                 "was cut into other buckets, since its ranks padded the vocabulary; expected "
                 "as many instructions as the plan's program has"};
  samples.add(program, timeline.spans, device ? device_times(timeline) : thread_times(timeline),
              disturbed(timeline));
  return std::nullopt;
}

}  // namespace quintet::calibrate
