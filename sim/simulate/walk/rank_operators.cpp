#include "sim/simulate/walk/rank_operators.h"

namespace quintet {

namespace {

bool is_of_model(BodyKind kind) {
  switch (kind) {
    case BodyKind::embedding:
    case BodyKind::layer:
    case BodyKind::head:
      return true;
    case BodyKind::other:
    case BodyKind::prepare_gradients:
    case BodyKind::keep_gradients:
    case BodyKind::sum_gradients:
    case BodyKind::gather_weights:
      return false;
  }
  return false;
}

}  // namespace

RankOperators::RankOperators(const Program& program) : program_(program) {
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) {
      const auto* const compute = std::get_if<Compute>(&instruction.action);
      work_.push_back({compute ? &compute->work : nullptr, is_of_model(body.kind)});
    }
}

std::optional<PricedOperator> RankOperators::at(std::size_t instruction, const ComputeKind& kind,
                                                std::size_t variant) const {
  const Work& found = work_[instruction];
  if (found.work == nullptr) return std::nullopt;
  const PricedOperator work = as_priced(*found.work);
  if (!found.of_model || kind.samples.empty()) return work;
  return resized(work, program_.dealt.padded, kind.samples[variant]);
}

}  // namespace quintet
