// What every rank has of a step's samples: drawn from a histogram, presorted, and seen as work.
// Pure: the same recipe and seed give the same.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/samples/draw.h"
#include "sim/samples/sample_work.h"

namespace quintet {

struct SampleRecipe {
  SampleDraw draw = SampleDraw::random;
  std::vector<int> bins, counts;  // stratified: the longest of each; how many of a micro-batch
  int length = 0;                 // of the longest sample, or of a packed row
  int samples = 1;                // or rows, of a micro-batch
  int micro_batches = 1;          // of a rank
  int ranks = 1;
  int presort_group = 1;  // neighbours that deal among them, once per step; 1: nobody does
  bool operator==(const SampleRecipe&) const = default;
};

// Lengths lie within `length`; bins and counts fit (sim/plan/problems).
DealtSamples dealt_step(const LengthHistogram& lengths, const SampleRecipe& recipe,
                        std::uint64_t seed);

// How far the slowest rank is from the others, over many steps: means of what each step had.
struct LoadBalanceFigures {
  double mean_tokens = 0, slowest_tokens = 0;  // of a rank; of the one with the most tokens
  double mean_cost = 0, slowest_cost = 0;      // in tokens (cost_in_tokens)
  double padded_cost = 0;                      // if all samples had full length
};
LoadBalanceFigures load_balance_figures(const LengthHistogram& lengths, const SampleRecipe& recipe,
                                        double keys_per_token, int steps);

}  // namespace quintet
