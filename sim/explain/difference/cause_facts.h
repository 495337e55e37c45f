// What a cause says beside its charge: how long the work itself took, on which ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/explain/difference/difference.h"

namespace quintet {

// Measured over predicted; 0 where nothing was predicted.
double ratio(const Compared& time);

// Ranks are indices into Difference::per_rank; times are means over them.
class CauseFacts {
 public:
  // Both must outlive it.
  CauseFacts(const Timeline& measured, const Difference& difference)
      : measured_(measured), difference_(difference) {}

  Compared computing(const std::vector<std::size_t>& ranks) const;
  Compared operator_time(OperatorKind work, Phase phase,
                         const std::vector<std::size_t>& ranks) const;
  // Share of their computing for which a core ran their threads.
  std::optional<double> ran(const std::vector<std::size_t>& ranks) const;
  // Fills in how long data of the cause's axis moved, and how fast.
  void describe_axis(Cause& cause) const;

 private:
  void compare_ranks(Cause& cause) const;

  const Timeline& measured_;
  const Difference& difference_;
};

}  // namespace quintet
