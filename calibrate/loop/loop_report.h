// Predictions beside what was measured, and how far to trust the former. Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/probes/predicted_step.h"
#include "calibrate/probes/training_run.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

struct LoopRow {
  std::string model, plan;
  Seconds predicted;
  std::optional<StepInterval> interval;
  Seconds measured;     // median step
  Seconds least, most;  // of its steps
  double others = 0;    // share of the cores' time that other programs took meanwhile
  std::string cause;    // of the difference, in a word
  std::optional<DeviceFigures> device{};  // of GPUs: memory, and what recording cost
  std::filesystem::path predicted_trace{}, measured_trace{};  // empty: not kept
  double error() const { return predicted / measured - 1; }
};

struct LoopVerdict {
  int rows = 0, pairs = 0;                 // pairs: of plans of one model
  double median_error = 0, p90_error = 0;  // of absolute errors
  // This is the agreeing pairs less the disagreeing ones, over all pairs; none: there is no pair.
  std::optional<double> kendall_tau;
  std::optional<double> coverage;  // share of rows whose measured step lies in the interval
};

LoopVerdict verdict_of(const std::vector<LoopRow>& rows);  // one row or more

// `remarks`: what a reader must know, such as a busy machine; a sentence each.
std::string report_text(const std::vector<LoopRow>& rows, const std::vector<std::string>& remarks);
std::string report_json(const std::vector<LoopRow>& rows, const std::vector<std::string>& remarks);

// One plain sentence or two.
std::string trust_text(const LoopVerdict& verdict);

}  // namespace quintet::calibrate
