#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/base/result.h"
#include "sim/program/groups.h"
#include "sim/program/program.h"

namespace quintet {

namespace {

std::string number(double value) {
  std::ostringstream out;
  out.precision(15);
  out << value;
  return out.str();
}

std::string shape_text(const OperatorShape& shape) {
  return std::visit(Match{[](const GemmShape& gemm) {
                            std::string text = fmt::format("{}x{}x{}", gemm.m, gemm.n, gemm.k);
                            return gemm.batch == 1 ? text : fmt::format("{} x{}", text, gemm.batch);
                          },
                          [](const AttentionShape& attention) {
                            return fmt::format("{}x{}/{} heads, {}x{} d{}", attention.sequences,
                                               attention.heads, attention.kv_heads,
                                               attention.query_length, attention.key_length,
                                               attention.head_dim);
                          },
                          [](const MemoryShape& memory) {
                            return number(memory.read.value) + " B read, " +
                                   number(memory.written.value) + " B written";
                          },
                          [](const ProfiledShape& profiled) {
                            return fmt::format("profile of stage {}", profiled.stage);
                          }},
                    shape);
}

std::string peer_text(Axis axis, int offset) {
  return std::string(name_of(axis)) + (offset >= 0 ? " +" : " ") + std::to_string(offset);
}

// The receiver's virtual stage; most have one.
std::string chunk_text(int chunk) {
  return chunk == 0 ? "" : fmt::format(" for chunk {}", chunk);
}

std::string text_of(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::host_to_device:
      return "copy host to device";
    case CopyDirection::device_to_host:
      return "copy device to host";
    case CopyDirection::device_to_device:
      return "copy device to device";
  }
  return {};
}

std::string text_of(HostWorkKind kind) {
  switch (kind) {
    case HostWorkKind::data_loading:
      return "data loading";
    case HostWorkKind::synchronise:
      return "synchronise";
    case HostWorkKind::checkpoint:
      return "checkpoint";
    case HostWorkKind::delegate_send:
      return "delegate sends";
    case HostWorkKind::delegate_receive:
      return "delegate receives";
  }
  return {};
}

std::string action_text(const Program& program, const Action& action) {
  return std::visit(
      Match{[](const Compute& compute) {
              return std::string(name_of(compute.work.computation)) + " " +
                     std::string(name_of(compute.work.phase)) + " [" +
                     shape_text(compute.work.shape) + "]";
            },
            [&](const Collective& collective) {
              return std::string(name_of(collective.kind)) + " over " +
                     program.communicators[collective.communicator.index()].name + " [" +
                     number(collective.size.value) + " B]";
            },
            [](const Send& send) {
              return (send.memory == Memory::host ? "send from host memory to " : "send to ") +
                     peer_text(send.axis, send.offset) + " [" + number(send.size.value) + " B]" +
                     chunk_text(send.chunk);
            },
            [](const Receive& receive) {
              return (receive.memory == Memory::host ? "receive in host memory from "
                                                     : "receive from ") +
                     peer_text(receive.axis, receive.offset) + " [" + number(receive.size.value) +
                     " B]" + chunk_text(receive.chunk);
            },
            [](const Copy& copy) {
              return text_of(copy.direction) + " [" + number(copy.size.value) + " B]";
            },
            [](const HostWork& work) {
              return text_of(work.kind) + " [" + number(work.size.value) + " B]";
            },
            [](const Recorded& recorded) {
              return "recorded [" + std::to_string(recorded.time.picoseconds) + " ps]";
            }},
      action);
}

void print_list(std::ostream& out, const char* label, const std::vector<int>& numbers) {
  if (numbers.empty()) return;
  out << label;
  for (std::size_t index = 0; index < numbers.size(); ++index)
    out << (index == 0 ? "" : ",") << numbers[index];
}

void print_body(std::ostream& out, const Program& program, const Body& body) {
  out << "body \"" << body.name << "\"";
  if (body.recomputed != RecomputedPart::nothing) out << " recomputes " << name_of(body.recomputed);
  out << "\n";
  for (std::size_t index = 0; index < body.instructions.size(); ++index) {
    const Instruction& instruction = body.instructions[index];
    out << "  " << index << " " << program.lanes[instruction.lane.index()].name << ": "
        << instruction.name << ": " << action_text(program, instruction.action);
    print_list(out, " after ", instruction.after);
    out << "\n";
  }
}

void print_call(std::ostream& out, const Program& program, const Call& call) {
  out << program.bodies[call.body.index()].name;
  if (call.micro_batch >= 0) out << " m" << call.micro_batch;
  if (call.chunk > 0) out << " chunk " << call.chunk;
  if (call.bucket >= 0) out << " bucket " << call.bucket;
  if (call.every > 1) out << " every " << call.every << " steps";
  if (call.first_layer >= 0) {
    out << " layer " << call.first_layer;
    if (call.layers > 1) out << ".." << call.first_layer + (call.layers - 1) * call.layer_step;
  }
  for (const ElementRange& range : call.elements)
    out << " elements " << range.begin << ".." << range.end;
  print_list(out, " after ", call.after);
  out << "\n";
}

void print_communicator(std::ostream& out, const Program& program,
                        const Communicator& communicator) {
  out << "communicator \"" << communicator.name << "\" " << group_size(program.grid, communicator)
      << " ranks:";
  for (const AxisPart& part : communicator.parts) {
    out << " " << name_of(part.axis);
    if (part.size > 0) out << "/" << part.size;
    if (part.stride > 1) out << " stride " << part.stride;
  }
  print_list(out, " stages ", communicator.stages);
  out << "\n";
}

// By place on the data axis: of each micro-batch.
void print_samples(std::ostream& out, const DealtSamples& dealt) {
  for (std::size_t place = 0; place < dealt.of_rank.size(); ++place) {
    out << "samples of replica " << place << ":";
    for (const SampleWork& work : dealt.of_rank[place])
      out << " " << work.tokens << " tokens in " << work.samples << " (squares " << work.squares
          << ")";
    out << "\n";
  }
}

}  // namespace

std::string program_text(const Program& program) {
  std::ostringstream out;
  out << "grid";
  for (const AxisSize& each : program.grid.axes)
    out << " " << name_of(each.axis) << "=" << each.size;
  out << " (innermost first), " << world_size(program.grid) << " ranks\n";
  for (const Communicator& communicator : program.communicators)
    print_communicator(out, program, communicator);
  print_samples(out, program.dealt);
  for (const Body& body : program.bodies) print_body(out, program, body);
  for (const Role& role : program.roles) {
    out << "role \"" << role.name << "\"\n";
    for (std::size_t index = 0; index < role.script.calls.size(); ++index) {
      out << "  " << index << " ";
      print_call(out, program, role.script.calls[index]);
    }
  }
  return out.str();
}

}  // namespace quintet
