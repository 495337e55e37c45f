#include "sim/simulate/span_infos.h"

#include "sim/result.h"

namespace quintet {

namespace {

class Describer {
 public:
  Describer(const Program& program, const Communications& communications)
      : program_(program), communications_(communications) {}

  SpanInfo describe(const Instruction& instruction, std::int32_t pattern) const {
    SpanInfo info;
    info.name = instruction.name;
    info.lane = instruction.lane.value;
    std::visit(Match{[&](const Compute& compute) {
                       info.kind = SpanKind::compute;
                       info.work = compute.work.kind;
                       info.phase = compute.work.phase;
                     },
                     [&](const Collective& collective) { fill(info, collective, pattern); },
                     [&](const Send& send) { fill(info, SpanKind::send, send.axis, send.size); },
                     [&](const Receive& receive) {
                       fill(info, SpanKind::receive, receive.axis, receive.size);
                     },
                     [&](const Copy& copy) {
                       info.kind = SpanKind::copy;
                       info.size = copy.size;
                     },
                     [&](const HostWork& work) {
                       info.kind = SpanKind::host;
                       info.size = work.size;
                     }},
               instruction.action);
    return info;
  }

 private:
  static void fill(SpanInfo& info, SpanKind kind, Axis axis, Bytes size) {
    info.kind = kind;
    info.axis = axis;
    info.size = size;
  }

  // What crosses stages waits for the pipeline, whatever else it spans.
  static Axis axis_of(const Communicator& communicator) {
    for (const AxisPart& part : communicator.parts)
      if (part.axis == Axis::pipeline) return Axis::pipeline;
    return communicator.parts.front().axis;
  }

  void fill(SpanInfo& info, const Collective& collective, std::int32_t pattern) const {
    const std::size_t communicator = collective.communicator.index();
    fill(info, SpanKind::collective, axis_of(program_.communicators[communicator]),
         collective.size);
    const auto& groups =
        communications_.collectives[communicator][static_cast<std::size_t>(pattern)];
    if (!groups.empty())
      info.detail = communications_.details[static_cast<std::size_t>(groups.front().detail)];
  }

  const Program& program_;
  const Communications& communications_;
};

}  // namespace

std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const FoldedWorld&, const std::vector<std::int32_t>& patterns) {
  const Describer describer(program, communications);
  std::vector<SpanInfo> infos;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions)
      infos.push_back(describer.describe(instruction, patterns[infos.size()]));
  return infos;
}

}  // namespace quintet
