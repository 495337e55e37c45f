#include "sim/timeline/program_infos.h"

#include "sim/base/result.h"
#include "sim/program/tasks.h"

namespace quintet {

namespace {

void communicate(SpanInfo& info, SpanKind kind, Axis axis, Bytes size) {
  info.kind = kind;
  info.axis = axis;
  info.size = size;
}

void move(SpanInfo& info, SpanKind kind, Bytes size) {
  info.kind = kind;
  info.size = size;
}

SpanInfo info_of(const Program& program, const Instruction& instruction) {
  SpanInfo info;
  info.name = instruction.name;
  info.lane = instruction.lane.value;
  std::visit(
      Match{[&](const Compute& compute) {
              info.work = kind_of(compute.work.computation);
              info.phase = compute.work.phase;
            },
            [&](const Collective& collective) {
              communicate(info, SpanKind::collective,
                          axis_of(program.communicators[collective.communicator.index()]),
                          collective.size);
            },
            [&](const Send& send) { communicate(info, SpanKind::send, send.axis, send.size); },
            [&](const Receive& receive) {
              communicate(info, SpanKind::receive, receive.axis, receive.size);
            },
            [&](const Copy& copy) { move(info, SpanKind::copy, copy.size); },
            [&](const HostWork& work) { move(info, SpanKind::host, work.size); },
            [&](const Recorded&) { info.kind = SpanKind::host; }},
      instruction.action);
  return info;
}

}  // namespace

// What crosses stages waits for the pipeline, whatever else it spans.
Axis axis_of(const Communicator& communicator) {
  for (const AxisPart& part : communicator.parts)
    if (part.axis == Axis::pipeline) return Axis::pipeline;
  return communicator.parts.front().axis;
}

std::vector<SpanInfo> program_infos(const Program& program) {
  std::vector<SpanInfo> infos;
  for (const Instruction* const instruction : all_instructions(program))
    infos.push_back(info_of(program, *instruction));
  return infos;
}

}  // namespace quintet
