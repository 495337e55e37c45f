#include "engine/operators/pairs.h"

#include <algorithm>

#include "engine/operators/operator_table.h"

namespace quintet::engine {

namespace {

using Kind = OperatorKind;

const Operator* work_of(const Instruction& instruction) {
  const auto* const compute = std::get_if<Compute>(&instruction.action);
  return compute ? &compute->work : nullptr;
}

bool is_product(const Operator& work, Pass pass) {
  return pass_of(work.phase) == pass && std::holds_alternative<GemmShape>(work.shape);
}

// Before `place`, in its block.
template <class Is>
bool stands_before(const Body& body, std::size_t place, Is is) {
  const Block block = body.instructions[place].block;
  const auto end = body.instructions.begin() + static_cast<std::ptrdiff_t>(place);
  return std::any_of(body.instructions.begin(), end, [&](const Instruction& other) {
    const Operator* const work = work_of(other);
    return work && other.block == block && is(*work);
  });
}

bool follows_its_product(const Body& body, std::size_t place) {
  return stands_before(body, place, [](const Operator& work) {
    return is_product(work, Pass::forward) &&
           (work.kind == Kind::mlp_up || work.kind == Kind::head);
  });
}

bool follows_the_second_product(const Body& body, std::size_t place) {
  return stands_before(body, place, [](const Operator& work) {
    return is_product(work, Pass::input_gradient) && work.kind == Kind::mlp_down;
  });
}

bool follows_the_weights(const Body& body, std::size_t place, Kind kind) {
  return stands_before(body, place, [kind](const Operator& work) {
    return is_product(work, Pass::weight_gradient) && work.kind == kind;
  });
}

}  // namespace

Pairs pairs_of(const Body& body) {
  Pairs pairs;
  bool biases_alone = false;
  for (std::size_t place = 0; place < body.instructions.size(); ++place) {
    const Operator* const work = work_of(body.instructions[place]);
    if (!work || !std::holds_alternative<MemoryShape>(work->shape)) continue;
    const Pass pass = pass_of(work->phase);
    const bool activation = work->kind == Kind::mlp_activation;
    if (activation && pass == Pass::forward) pairs.activation = follows_its_product(body, place);
    if (activation && pass == Pass::input_gradient)
      pairs.activation_gradient = follows_the_second_product(body, place);
    if (pass != Pass::weight_gradient) continue;
    if (follows_the_weights(body, place, work->kind))
      pairs.bias_gradients = true;
    else
      biases_alone = true;
  }
  pairs.bias_gradients = pairs.bias_gradients && !biases_alone;
  return pairs;
}

}  // namespace quintet::engine
