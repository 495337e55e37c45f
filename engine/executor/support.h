// What of a program the executor cannot do: told before it starts.
#pragma once

#include <optional>

#include "engine/parameters/training_state.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"

namespace quintet::engine {

std::optional<Error> unsupported(const Program& program, const Plan& plan);

// What of a model no kernel here does.
std::optional<Error> unsupported(const Model& model);

// Where the plan's clipping gives ranks no common word on an overflow.
std::optional<Error> unsupported(const LossScaling& scaling, const Parallelism& parallelism);

}  // namespace quintet::engine
