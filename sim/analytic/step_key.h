// All that the walk of a step by pieces depends on, as numbers: equal keys, equal steps. Plans that
// differ in decisions which change no piece have one key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/analytic/step_pieces.h"
#include "sim/plan/plan.h"

namespace quintet {

class StepKey {
 public:
  // None of a plan that lists warm-ups or times of its stages.
  static std::optional<StepKey> of(const Plan& plan, const StepPieces& pieces);

  bool operator==(const StepKey&) const = default;
  std::size_t hash() const { return hash_; }

 private:
  StepKey(const Plan& plan, const StepPieces& pieces);
  template <class Number>
  void add(Number number);
  void add(const PricedMove& move);
  void add(const MoveChain& chain);

  std::size_t hash_ = 0;
  std::vector<std::uint64_t> words_;
};

struct StepKeyHash {
  std::size_t operator()(const StepKey& key) const { return key.hash(); }
};

}  // namespace quintet
