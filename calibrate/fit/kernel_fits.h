// Parameters of the formulas of sim/cost/kernel_time.h from measured kernels: the formulas
// themselves are called, so what is fitted is what predicts. Least squares of
// log(fit / measured), outliers damped (least_squares.h); held out is every fourth shape.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/fit_quality.h"
#include "calibrate/fit/measurements.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

template <class Costs>
struct KernelFit {
  Costs costs;
  FitQuality quality;
};  // its residuals and what it covers are among the costs

// All need a dozen different shapes or more; fewer: nothing. `table` has the card's numbers, and an
// entry to start from, whose peak, tiles, layout factors and source stay.

// This fits products of one type: start, memory's share, waves, depth, sharpness, one efficiency
// per tile.
std::optional<KernelFit<GemmCosts>> fit_gemm(const std::vector<GemmSample>& samples, DataType type,
                                             const CostTable& table);

// Flash kernels of the half types: FlashAttention-3 and cuDNN where there are any, else
// FlashAttention-2.
std::optional<KernelFit<AttentionCosts>> fit_attention(const std::vector<AttentionSample>& samples,
                                                       const CostTable& table);

// Forward kernels: norms ("input_layernorm") in waves of rows, activations ("mlp_act") and
// element-wise sums ("add").
std::optional<KernelFit<MemoryCosts>> fit_memory(const std::vector<MemorySample>& samples,
                                                 MemoryOperation operation, const CostTable& table);

}  // namespace quintet::calibrate
