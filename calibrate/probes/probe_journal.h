// What probes measured so far, a line each, on the disk before the next one begins: a calibration
// that was killed goes on from there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/probes/step_margins.h"
#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

struct ProbeRecord {
  std::string probe;  // Probe::name
  std::vector<MeasuredOperator> operators;
  std::vector<StagingCosts> staging;
  Seconds step;                          // the median one, whole
  std::optional<StepMargins> margins{};  // of a step on GPUs
  bool operator==(const ProbeRecord&) const = default;
};

// Seconds that something between ranks took, each time it was tried.
struct TimingRecord {
  std::string what;  // equal words, equal probes
  std::string at;    // among which ranks, over which network
  std::vector<double> seconds;
  bool operator==(const TimingRecord&) const = default;
};

class ProbeJournal {
 public:
  // `conditions`: machine, kernels and what else all probes must share. Makes the file where there
  // is none. The line that was being written when the last calibration was killed is dropped; a
  // file that is none of ours, of other conditions or damaged is refused, with its line.
  static Result<ProbeJournal> open(const std::filesystem::path& file,
                                   const std::string& conditions);

  const std::vector<ProbeRecord>& records() const { return records_; }
  const std::vector<TimingRecord>& timings() const { return timings_; }
  // On the disk when they return.
  std::optional<Error> add(ProbeRecord record);
  std::optional<Error> add(TimingRecord record);

 private:
  explicit ProbeJournal(std::filesystem::path file) : file_(std::move(file)) {}
  std::optional<Error> take(const std::string& line, const std::string& where);
  std::optional<Error> append(const std::string& line) const;

  std::filesystem::path file_;
  std::vector<ProbeRecord> records_;
  std::vector<TimingRecord> timings_;
};

}  // namespace quintet::calibrate
