// Operator + CostTable -> time and appetite, alone on the GPU. Pure.
//
// GEMM (shape of the model: tiles and waves of cuBLAS; parameters fitted by
// calibrate/fit_published.py of commit 4738d46, errors in traces/costs/README.md):
//   waves(tile)   = w + (1 - smoothing) (ceil(w) - w),  w = ceil(m/tm) ceil(n/tn) batch / SMs
//   compute(tile) = waves 2 tm tn (k + k_half) / (peak/SMs efficiency(tile) sustained)
//   memory        = (mk + kn + mn) batch size / (vendor bandwidth memory_efficiency), fp8's mn 2 B
//   time          = start + ((min over tiles of compute)^x + memory^x)^(1/x),  x = sharpness
//   times input_gradient or weight_gradient in those phases.
// Flash attention: time = start + work / (peak sustained efficiency), with
//   efficiency = limit (d/reference)^exponent  L/(L + length_half)  w/(w + waves_half),
//   L = key length, or the window; w = sequences heads ceil(queries/128) / SMs; the work 4 s h q k
//   d counts the keys the mask leaves; backward does 2.5 times the forward (arXiv 2307.08691).
// Unfused attention (Megatron-LM 2021, arXiv 2205.05198): batched GEMMs q k^T and s v by the GEMM
//   formula, then the fused softmax and the dropout over the scores by bytes. The causal softmax
//   reads only what the mask leaves and writes all. Backward: the two input gradients of each GEMM.
// An operator that the table has a measured time of takes that time; one of a family that it has a
// curve of, the curve's (operator_curves.h).
// Memory-bound: time = kernels start + bytes / rate, where 1/rate goes from 1/cached (up to half of
//   the L2) linearly to 1/bandwidth (from the whole L2 on); backward_factor in backward phases.
//   Rows of a norm: ceil(w) / w times that + ceil(w) wave_start, w = rows / (SMs
//   rows_per_multiprocessor), all (columns / 2048)^columns_exponent times where wider than 2048.
#pragma once

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/model/operator.h"

namespace quintet {

// What a kernel occupies while it runs; decides how communication beside it slows it.
struct KernelUse {
  Seconds time;             // alone, launch not included
  double tiles = 0;         // thread-block tiles of a GEMM; 0: not quantised
  double memory_share = 0;  // of the memory bandwidth it can reach, 0..1; 1: memory-bound
  bool operator==(const KernelUse&) const = default;
};

// All `kernels` of the operator together. Asserts that the table measured it or covers its type;
// `measured` and `missing_for` tell beforehand.
KernelUse kernel_use(const PricedOperator& work, const CostTable& table);
inline Seconds kernel_time(const PricedOperator& work, const CostTable& table) {
  return kernel_use(work, table).time;
}

// Empty when every operator kind can be priced in this type, with this attention, by formula;
// otherwise what is missing, for an error message.
std::string missing_for(DataType type, const CostTable& table,
                        AttentionKernel attention = AttentionKernel::flash);

// The measured time of exactly this operator, or nothing.
const MeasuredOperator* measured(const PricedOperator& work, const CostTable& table);

// How many gaps between kernels (LaunchCosts::gap) its time on a GPU does not hold: a formula's
// holds none; one that was measured, from the first kernel's start to the last's end, misses only
// the gap to the next operator.
int gaps_beside(const PricedOperator& work, const CostTable& table);

// Factor >= 1 on a kernel's time while communication holds `busy_sms` SMs and draws `memory_share`
// of the memory bandwidth: max(ceil(tiles/(SM-c)) / ceil(tiles/SM), m / (1 - memory_share)) *
// compute_slowdown, m = use.memory_share (arXiv 2507.03114). Without communication (both 0): 1.
double slowdown(const KernelUse& use, double busy_sms, double memory_share, const CostTable& table);

// Without contention: start and bytes at the direction's rate.
Seconds copy_time(Bytes size, CopyDirection direction, const CostTable& table);

}  // namespace quintet
