// Operator + CostTable -> time and appetite, alone on the GPU. Pure.
#pragma once

#include "sim/cost/cost_table.h"
#include "sim/model/operator.h"
#include "sim/result.h"

namespace quintet {

// What a kernel occupies while it runs; decides how communication beside it slows it.
struct KernelUse {
  Seconds time;             // alone, launch not included
  double tiles = 0;         // thread-block tiles of a GEMM; 0: not quantised
  double memory_share = 0;  // of the memory bandwidth it draws, 0..1
};

// All `kernels` of the operator together. Asserts that the table covers the type; `covers` tells
// beforehand.
KernelUse kernel_use(const Operator& work, const CostTable& table);
inline Seconds kernel_time(const Operator& work, const CostTable& table) {
  return kernel_use(work, table).time;
}

// Empty when every operator kind can be priced in this type; otherwise what is missing, for an
// error message.
std::string missing_for(DataType type, const CostTable& table);

// Factor >= 1 on a kernel's time while communication holds `busy_sms` SMs and draws `memory_share`
// of the memory bandwidth: max(ceil(tiles/(SM-c)) / ceil(tiles/SM), shared memory bandwidth) *
// compute_slowdown (models.md 4).
double slowdown(const KernelUse& use, double busy_sms, double memory_share, const CostTable& table);

}  // namespace quintet
