// How far off a prediction may be that nobody has checked yet: as far as those of the published
// steps that are most like it. Pure.
//
// The nearest of four groups that has 19 rows or more (fewer have no 5 % and 95 % of their own):
// its software on its card; its software on any card; its card under any software; all. A group
// that is of other software or another card is widened as far as leaving out one after the other
// showed to be needed (Widening in residuals.h).
#pragma once

#include <optional>
#include <string>

#include "sim/confidence/residuals.h"

namespace quintet {

// A real step takes from `low` to `high` times what was predicted, in nine cases of ten.
struct ExpectedError {
  double low = 1, high = 1;
  int rows = 0;
  double widened = 1;
  std::string rests_on;  // "28 published steps of NeMo on H100-SXM-80GB"
  bool operator==(const ExpectedError&) const = default;
};

// `stack` empty: none was named. Nothing without a GPU (no published step ran on processors), or
// where there are no residuals.
std::optional<ExpectedError> expected_error(const PublishedResiduals& published,
                                            const std::string& stack, const std::string& gpu);

inline constexpr int fewest_rows = 19;

}  // namespace quintet
