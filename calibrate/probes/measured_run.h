// Times of operators from a run that already was: the timeline that quintet run --timeline wrote.
#pragma once

#include <optional>
#include <string>

#include "calibrate/operators/operator_samples.h"
#include "sim/base/result.h"
#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet::calibrate {

// Adds what all ranks computed to `samples`: processor times of ranks on cores, the GPU's own times
// of ranks on GPUs. `where` names the timeline in errors. Fails where it was not measured with such
// times, or is of another program.
std::optional<Error> add_measured_run(const Program& program, const Timeline& timeline,
                                      const std::string& where, OperatorSamples& samples);

// A run whose ranks padded what the plan's program does not know of (engine/train's
// compile_options()): `ran` has the same instructions of other sizes, and what they took is the
// price of those of `program`.
std::optional<Error> add_measured_run(const Program& program, const Program& ran,
                                      const Timeline& timeline, const std::string& where,
                                      OperatorSamples& samples);

}  // namespace quintet::calibrate
