// Sheets: published plans that a user could have chosen from, and what our choice would have cost.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quintet {

struct RowVerdict;

// Rows of one source and one software stack that train the same model in the same numbers, at the
// same sequence length, on as many GPUs of the same kind. Layout, micro-batch, recomputation and
// kernels differ, and so may the global batch: rows are compared by their time per sequence.
// A candidate is a row that was predicted, and ran (with a published time) or ran out of memory;
// two rows and more, one of which ran, make a sheet.
struct Sheet {
  std::string source, stack, model, gpu, precision;
  int gpus = 0, sequence = 0;
  int candidates = 0, admitted = 0;  // admitted: predicted to fit
  // Of the admitted, the one predicted fastest, the first of equally fast ones; null: there is
  // none.
  const RowVerdict* picked = nullptr;
  const RowVerdict* best = nullptr;  // of those that ran, measured fastest

  // Measured time of the picked one over that of the best, less 1. None, a failure: nothing was
  // admitted, or what was picked ran out of memory.
  std::optional<double> regret() const;
};

// In the order in which their first rows stand. They point to the verdicts.
std::vector<Sheet> sheets_of(const std::vector<const RowVerdict*>& verdicts);

struct Regrets {
  int sheets = 0, failed = 0;
  double mean = 0, largest = 0;  // of those that did not fail; 0 without any
  bool operator==(const Regrets&) const = default;
};
Regrets regrets_of(const std::vector<Sheet>& sheets);

}  // namespace quintet
