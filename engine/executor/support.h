// What of a program the executor cannot do: told before it starts.
#pragma once

#include <optional>

#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/result.h"

namespace quintet::engine {

std::optional<Error> unsupported(const Program& program, const Model& model, const Plan& plan);

}  // namespace quintet::engine
