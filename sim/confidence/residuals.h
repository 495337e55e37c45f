// How far predictions of published training steps were off, by software and card: what `quintet
// validate --residuals` writes and what intervals of predictions rest on. traces/residuals.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

// Quantiles of ln(predicted / measured) of step times.
struct StepResiduals {
  std::string stack, gpu;  // empty: of any
  int rows = 0;
  double p05 = 0, p50 = 0, p95 = 0;
  bool operator==(const StepResiduals&) const = default;
};

// How many times as far from their median quantiles must reach for rows of software, of a card or
// of both that they were not made of, so that nine of ten lie within: found by leaving out one
// software on one card after the other (`left_out` of them), 1 where that does without.
struct Widening {
  double other_gpu = 1, other_stack = 1, both_other = 1;
  int left_out = 0;
  bool operator==(const Widening&) const = default;
};

// Where verdicts on memory were wrong more often than once in ten: what was needed by prediction
// over what a GPU has, from below 1 to above it.
struct MemoryBand {
  int verdicts = 0, wrong = 0;  // of all published rows
  double from = 1, to = 1;
  int within = 0, wrong_within = 0;
  bool operator==(const MemoryBand&) const = default;
};

struct PublishedResiduals {
  std::string source;                    // "1,058 rows of 10 files, quintet validate, 2026-11-23"
  std::vector<StepResiduals> step_time;  // one of any software on any card last
  Widening widening;
  MemoryBand memory;
  bool operator==(const PublishedResiduals&) const = default;
};

// Refuses unknown keys, quantiles out of order and a band that does not hold 1.
Result<PublishedResiduals> parse_residuals(const std::string& text, const std::string& where);
Result<PublishedResiduals> read_residuals(const std::filesystem::path& file);
// JSON that reads back to equal residuals.
std::string text_of(const PublishedResiduals& residuals);

}  // namespace quintet
