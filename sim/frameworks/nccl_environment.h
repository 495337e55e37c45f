// Layers 2 to 4 as far as NCCL's environment variables say them. They hold for the whole process:
// every communicator of it, whichever axis it is of.
//
// Names and values: NCCL user guide 2.28, "Environment Variables" (NCCL_ALGO and NCCL_PROTO for one
// function alone, "allreduce:tree": since 2.24; NCCL_MIN_CTAS, NCCL_MAX_CTAS: since 2.17).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/plan.h"

namespace quintet {

struct EnvironmentVariable {
  std::string name, value;
  bool operator==(const EnvironmentVariable&) const = default;
};

// Those that a plan needs; none for what NCCL does anyway.
std::vector<EnvironmentVariable> nccl_environment(const Plan& plan);

// Puts one into a plan; false where the plan has no field for that name. An error says what is
// accepted, without a place.
Result<bool> take_nccl_variable(const EnvironmentVariable& variable, Plan& plan);

// Why a field below parallelism that NCCL's variables do not say is not said; empty: it is not of
// NCCL.
std::string nccl_reason(const Plan& plan, std::string_view field);

}  // namespace quintet
