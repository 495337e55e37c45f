#include "engine/executor/support.h"

#include <set>
#include <string>
#include <utility>

#include "engine/executor/phase_buffers.h"
#include "engine/operators/operator_table.h"
#include "kernels/cosine.h"
#include "sim/base/quantity_text.h"

namespace quintet::engine {

namespace {

std::optional<std::string> missing(const Compute& compute) {
  const Operator& work = compute.work;
  if (is_of_update(work.computation)) return std::nullopt;
  if (work.computation == Computation::presort)
    return std::nullopt;  // engine/operators/sample_dealing.h
  if (!std::holds_alternative<std::monostate>(function_of(work))) return std::nullopt;
  return "no kernel does \"" + std::string(name_of(work.computation)) + " " +
         std::string(name_of(work.phase)) + "\"";
}

std::optional<std::string> missing(const Collective& collective) {
  if (collective.purpose != Purpose::exchange) return std::nullopt;
  return "exchanges of no stated purpose are not executed";
}

std::optional<std::string> missing(const Instruction& instruction) {
  using Answer = std::optional<std::string>;
  return std::visit(
      Match{[](const Compute& compute) { return missing(compute); },
            [](const Collective& collective) { return missing(collective); },
            [](const Send&) { return Answer(); }, [](const Receive&) { return Answer(); },
            [](const Copy& copy) {
              return copy.purpose == CopyPurpose::message
                         ? Answer("copies of messages to the host's memory are not executed")
                         : Answer();
            },
            [](const HostWork&) { return Answer("work of the host is not executed"); },
            [](const Recorded&) { return Answer("what was recorded is replayed, not executed"); }},
      instruction.action);
}

// A purpose names the buffer: of several pieces of one there would be no telling which is which.
std::optional<Error> in_pieces(const Program& program, const Body& body) {
  std::set<std::pair<Purpose, Block>> begun;
  for (const Instruction& instruction : body.instructions)
    if (const auto* const collective = std::get_if<Collective>(&instruction.action))
      if (begins(program, *collective) &&
          !begun.insert({collective->purpose, instruction.block}).second)
        return Error{"program: " + body.name,
                     "several collectives of one purpose that are no phases of one are not "
                     "executed"};
  return std::nullopt;
}

std::optional<Error> unsupported(const Program& program, const Body& body) {
  if (body.recomputed == RecomputedPart::alternate_products)
    return Error{"program: " + body.name, "keeping every other product is not executed"};
  if (auto wrong = in_pieces(program, body)) return wrong;
  for (const Instruction& instruction : body.instructions)
    if (const auto what = missing(instruction))
      return Error{"program: " + body.name + ": " + instruction.name, *what};
  return std::nullopt;
}

std::optional<Error> unsupported(const Parallelism& parallelism) {
  const auto executed = [](DataType type) {
    return type == DataType::fp32 || type == DataType::bf16;
  };
  const auto refusal = [](std::string_view field, DataType type) {
    return Error{"plan: parallelism." + std::string(field),
                 "found " + std::string(name_of(type)) +
                     ", which the kernels here do not compute in; accepted are fp32 and bf16" +
                     (field == "compute_type" ? ", and fp8 for products" : "")};
  };
  const DataType type = parallelism.compute_type;
  if (!executed(type) && type != DataType::fp8) return refusal("compute_type", type);
  if (!executed(parallelism.gradient_type))
    return refusal("gradient_type", parallelism.gradient_type);
  if (!executed(parallelism.moment_type)) return refusal("moment_type", parallelism.moment_type);
  const Replicator& replicator = parallelism.replicator;
  if (replicator.kind == ReplicatorKind::demo && replicator.chunk > kernels::longest_chunk)
    return Error{"plan: parallelism.replicator.chunk",
                 "found " + std::to_string(replicator.chunk) +
                     ", and the kernels here transform 64 entries at most: use 64 or less"};
  if (parallelism.compute_type != DataType::fp32 && !parallelism.master_weights)
    return Error{"plan: parallelism.master_weights", "bf16 weights need an fp32 copy: use true"};
  return std::nullopt;
}

// A rank's part of the sequence is by its place among all tensor ranks, which phases would reorder.
std::optional<Error> split_sequence(const Program& program, const Parallelism& parallelism) {
  for (const quintet::Communicator& each : program.communicators)
    if (parallelism.sequence_parallel && each.level != HostLevel::whole &&
        each.parts.front().axis == Axis::tensor)
      return Error{"plan: intra_inter",
                   "hierarchical collectives do not go with sequence parallelism: leave the tensor "
                   "axis out of intra_inter"};
  return std::nullopt;
}

}  // namespace

std::optional<Error> unsupported(const Model& model) {
  if (model.predicted_share >= 1) return std::nullopt;
  return Error{"model: mlm_probability",
               "here the head sees all positions, masked or not: leave it out"};
}

std::optional<Error> unsupported(const LossScaling& scaling, const Parallelism& parallelism) {
  if (scaling.on() && !is_plain(parallelism.replicator))
    return Error{"plan: parallelism.replicator.kind",
                 "a momentum would mix the loss scales of its steps: use full, or no --loss-scale"};
  if (!scaling.on() || parallelism.loss_scaling ||
      parallelism.clipping == Clipping::after_reduction)
    return std::nullopt;
  return Error{
      "plan: parallelism.loss_scaling",
      "found false, but with clipping " + std::string(name_of(parallelism.clipping)) +
          " nothing tells all ranks of an overflow: for a loss scale use true, or clipping "
          "after-reduction"};
}

std::optional<Error> unsupported(const Program& program, const Plan& plan) {
  if (auto wrong = unsupported(plan.parallelism)) return wrong;
  if (auto wrong = split_sequence(program, plan.parallelism)) return wrong;
  for (const Body& body : program.bodies)
    if (auto wrong = unsupported(program, body)) return wrong;
  return std::nullopt;
}

}  // namespace quintet::engine
