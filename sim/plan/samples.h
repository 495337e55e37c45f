// How the samples of a step are drawn and dealt, where they have lengths of their own: part of
// layer 1.
#pragma once

#include <string>
#include <vector>

#include "sim/samples/dealt_step.h"

namespace quintet {

// What is done against ranks that wait for the one with the longest samples (arXiv 2402.02447).
enum class LoadBalance { none, presort_in_host, presort_globally };
std::string_view name_of(LoadBalance load_balance);

// Samples have no padding then: products, norms and attention see their tokens alone.
struct Samples {
  std::string lengths;  // a histogram's file or shipped name; empty: all of sequence_length
  SampleDraw draw = SampleDraw::random;
  std::vector<int> bins;    // stratified: the longest of each, ascending; empty: four equal ones
  std::vector<int> counts;  // of a micro-batch from each; empty: by the histogram
  int seed = 1;
  // What `lengths` names (sim/asked/sample_lengths.h); no part of the file.
  LengthHistogram histogram;
  bool vary() const { return !lengths.empty(); }
  bool operator==(const Samples&) const = default;
};

struct Parallelism;

// Ranks whose samples are dealt anew together, so many of them on a host; 1: nobody's are.
int presort_ranks(const Parallelism& parallelism, int ranks_per_host);

// What was left out is filled in. Samples vary, and the plan has no problems.
SampleRecipe sample_recipe(const Parallelism& parallelism, int ranks_per_host);
std::vector<int> bins_of(const Parallelism& parallelism);
std::vector<int> counts_of(const Parallelism& parallelism);

// What every rank has of the step; empty where samples do not vary.
DealtSamples dealt_samples(const Parallelism& parallelism, int ranks_per_host);

}  // namespace quintet
