// What a cost table has of probes that were run: curves, launches of GPUs, and how far whole steps
// lie from what the table predicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/command/calibrate_inputs.h"
#include "calibrate/command/measuring_place.h"
#include "calibrate/probes/sampled_calibration.h"
#include "calibrate/probes/whole_steps.h"

namespace quintet::calibrate {

class ProbedCurves {
 public:
  // References must outlive this.
  ProbedCurves(const CalibrateArguments& arguments, const CalibrateInputs& inputs, ProbeRange range,
               const Gpu& gpu);

  // Runs the probes; before all else.
  std::optional<Error> add_to(CostTable& table, std::vector<StagingCosts>& staging);
  // This adds what a GPU tells of itself, and what launching kernels takes the engine.
  std::optional<Error> add_gpu_to(CostTable& table) const;
  // The table must otherwise be done. This adds how ranks share cores (core_sharing.h), then how
  // far the probes' steps are off, each by curves through probes of other forms.
  std::optional<Error> add_whole_steps(CostTable& table) const;

 private:
  Result<std::vector<WholeStep>> held_out_steps(const CostTable& table) const;
  Result<std::vector<WholeStep>> steps_of(const std::vector<ProbeRecord>& records,
                                          const CostTable& table) const;

  const CalibrateArguments& arguments_;
  std::string where_;
  SampledRequest request_;
  std::optional<SampledCalibration> made_;
};

}  // namespace quintet::calibrate
