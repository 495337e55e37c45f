#include "engine/executor/support.h"

#include <string>

#include "engine/executor/hierarchy.h"
#include "engine/operators/operator_table.h"
#include "sim/base/quantity_text.h"

namespace quintet::engine {

namespace {

std::optional<std::string> missing(const Compute& compute, Block block, int occurrence,
                                   const Model& model) {
  const Operator& work = compute.work;
  const std::string name = std::string(name_of(work.kind)) + " " + std::string(name_of(work.phase));
  bool found = false;
  switch (block) {
    case Block::none:
      found = update_does(work);
      break;
    case Block::embedding:
      found = embedding_does(work);
      break;
    case Block::attention:
    case Block::mlp:
      found = layer_function(block, work, occurrence, model) != nullptr;
      break;
    case Block::head:
      found = head_function(work, occurrence, model.family) != nullptr;
      break;
  }
  if (found) return std::nullopt;
  return "no kernel does \"" + name + "\"";
}

bool is_reduction(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

std::optional<std::string> missing(const Collective& collective, Level level) {
  // Phases are kinds of their own; what the whole does is what the first and the last make it.
  if (level != Level::whole && collective.purpose != Purpose::exchange) return std::nullopt;
  switch (collective.purpose) {
    case Purpose::gather_input:
    case Purpose::gather_gradient:
    case Purpose::gather_input_again:
    case Purpose::gather_weights:
      if (collective.kind == CollectiveKind::all_gather) return std::nullopt;
      break;
    case Purpose::reduce_output:
    case Purpose::reduce_gradient:
    case Purpose::sum_gradients:
      if (is_reduction(collective.kind)) return std::nullopt;
      break;
    case Purpose::loss_maximum:
    case Purpose::loss_sum:
    case Purpose::loss_target:
    case Purpose::sum_between_shards:
    case Purpose::sum_norm_gradients:
    case Purpose::sum_tied_embedding:
    case Purpose::sum_gradient_norm:
    case Purpose::sum_tensor_norms:
      if (collective.kind == CollectiveKind::all_reduce) return std::nullopt;
      break;
    case Purpose::exchange:
      break;
  }
  return "a collective of this kind and purpose (" + std::string(name_of(collective.kind)) +
         ") is not executed";
}

std::optional<std::string> missing(const Body& body, std::size_t place, const Model& model,
                                   const Hierarchy& hierarchy) {
  using Answer = std::optional<std::string>;
  const Instruction& instruction = body.instructions[place];
  return std::visit(
      Match{[&](const Compute& compute) {
              return missing(compute, instruction.block, occurrence_of(body, place), model);
            },
            [&](const Collective& collective) {
              return missing(collective, hierarchy.level(collective));
            },
            [](const Send&) { return Answer(); }, [](const Receive&) { return Answer(); },
            [](const Copy&) { return Answer("copies to the host's memory are not executed"); },
            [](const HostWork&) { return Answer("work of the host is not executed"); }},
      instruction.action);
}

std::optional<Error> unsupported(const Parallelism& parallelism) {
  const auto executed = [](DataType type) {
    return type == DataType::fp32 || type == DataType::bf16;
  };
  const auto refusal = [](std::string_view field, DataType type) {
    return Error{"plan: parallelism." + std::string(field),
                 "found " + std::string(name_of(type)) +
                     ", which the kernels here do not compute in; accepted are fp32 and bf16"};
  };
  if (!executed(parallelism.compute_type)) return refusal("compute_type", parallelism.compute_type);
  if (!executed(parallelism.gradient_type))
    return refusal("gradient_type", parallelism.gradient_type);
  if (parallelism.compute_type != DataType::fp32 && !parallelism.master_weights)
    return Error{"plan: parallelism.master_weights", "bf16 weights need an fp32 copy: use true"};
  return std::nullopt;
}

bool moves_sequence(const Collective& collective, Level level) {
  switch (collective.purpose) {
    case Purpose::gather_input:
    case Purpose::gather_gradient:
    case Purpose::gather_input_again:
      return true;
    case Purpose::reduce_output:
    case Purpose::reduce_gradient:
      return level == Level::across && collective.kind == CollectiveKind::reduce_scatter;
    case Purpose::loss_maximum:
    case Purpose::loss_sum:
    case Purpose::loss_target:
    case Purpose::sum_gradients:
    case Purpose::sum_between_shards:
    case Purpose::gather_weights:
    case Purpose::sum_norm_gradients:
    case Purpose::sum_tied_embedding:
    case Purpose::sum_gradient_norm:
    case Purpose::sum_tensor_norms:
    case Purpose::exchange:
      return false;
  }
  return false;
}

// A rank's part of the sequence is by its place among all tensor ranks, which phases would reorder.
std::optional<Error> split_sequence(const Program& program, const Hierarchy& hierarchy) {
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) {
      const auto* const collective = std::get_if<Collective>(&instruction.action);
      if (!collective || hierarchy.level(*collective) == Level::whole) continue;
      if (moves_sequence(*collective, hierarchy.level(*collective)))
        return Error{"program: " + body.name + ": " + instruction.name,
                     "hierarchical collectives do not go with sequence parallelism: leave the "
                     "tensor axis out of intra_inter"};
    }
  return std::nullopt;
}

}  // namespace

std::optional<Error> unsupported(const LossScaling& scaling, const Parallelism& parallelism) {
  if (!scaling.on() || parallelism.clipping == Clipping::after_reduction) return std::nullopt;
  return Error{"plan: parallelism.clipping",
               "loss scaling needs after_reduction: the norm of the summed gradients tells all "
               "ranks of an overflow"};
}

std::optional<Error> unsupported(const Program& program, const Model& model, const Plan& plan) {
  if (auto wrong = unsupported(plan.parallelism)) return wrong;
  const Result<Hierarchy> hierarchy = Hierarchy::of(program);
  if (!hierarchy) return hierarchy.error();
  if (auto wrong = split_sequence(program, *hierarchy)) return wrong;
  for (const Body& body : program.bodies)
    for (std::size_t place = 0; place < body.instructions.size(); ++place)
      if (const auto what = missing(body, place, model, *hierarchy))
        return Error{"program: " + body.name + ": " + body.instructions[place].name, *what};
  return std::nullopt;
}

}  // namespace quintet::engine
