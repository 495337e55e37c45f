// A cost table of a GPU that nobody measured, made of what its data sheet says: peak rates, memory
// bandwidth and memory. Everything in it is Evidence::guessed, and what is predicted by it comes
// with a wide interval. Pure.
//
// Efficiencies, of the data sheet's rates, and where they are from:
//   products          0.60  the middle (in logarithms) of 0.45 that MI300X reaches in BF16, FP16
//   and
//                           FP8 (Ambati et al., arXiv 2510.27583, October 2025) and 0.77, the best
//                           tile of the shipped tables of A100 and H100
//   flash attention   0.45 forward, 0.38 backward: three quarters of the product's share, and that
//                           by the ratio of 0.58 to 0.66 which H100's table has backwards
//   memory            0.80  of the bandwidth for additions and optimizers: 0.81 on MI300X (the same
//                           paper), 0.85 to 1.0 in the shipped tables; normalisations 0.45,
//                           activations and dropout 0.6, softmax and cross entropy 0.7, embedding
//                           0.5, each near the lowest of the four tables V100 to B200
//   starts, launches        as the H100's table
//   communication           NCCL's formula with 0.9 of its bandwidth and 1.2 times its latency (the
//                           shipped tables have 0.91 to 0.95, and 1.1 to 1.6), whoever's library
//                           it is
// The interval, 0.65 to 1.65 times: products alone reach from 0.45 to 0.77, which is 0.78 to 1.33
// times; a fifth more each way for what whole published steps are off beside (90 % of them lie
// within 18 %, sim/validate/README.md).
#pragma once

#include "sim/cost/cost_table.h"
#include "sim/topology/topology.h"

namespace quintet {

CostTable guessed_costs(const GpuSpec& gpu);

}  // namespace quintet
