// What a kind of ranks computes at an instruction: operators of the model's bodies are as large as
// the samples that it has of the micro-batch (Program::dealt), all others as the program says.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/model/operator_rows.h"
#include "sim/price/communications.h"
#include "sim/program/program.h"

namespace quintet {

class RankOperators {
 public:
  // The program must outlive this.
  explicit RankOperators(const Program& program);

  std::size_t instructions() const { return work_.size(); }
  // Nothing where the instruction does not compute. `variant`: one of variants() below.
  std::optional<PricedOperator> at(std::size_t instruction, const ComputeKind& kind,
                                   std::size_t variant) const;

 private:
  const Program& program_;
  struct Work {
    const Operator* work = nullptr;
    bool of_model = false;  // and so of the micro-batch's samples
  };
  std::vector<Work> work_;  // per instruction of all bodies, in order
};

// Ranks whose micro-batches differ have a variant for each; others one.
inline std::size_t variants(const ComputeKind& kind) {
  return kind.samples.empty() ? 1 : kind.samples.size();
}
// The variant of an instruction about that micro-batch; -1: about none.
inline std::size_t variant_of(const ComputeKind& kind, int micro_batch) {
  return kind.samples.empty() || micro_batch < 0 ? 0 : static_cast<std::size_t>(micro_batch);
}

}  // namespace quintet
