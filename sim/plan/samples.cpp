#include "sim/plan/samples.h"

#include <algorithm>

#include "sim/plan/parallelism.h"

namespace quintet {

std::string_view name_of(LoadBalance load_balance) {
  switch (load_balance) {
    case LoadBalance::none:
      return "none";
    case LoadBalance::presort_in_host:
      return "presort-in-host";
    case LoadBalance::presort_globally:
      return "presort-globally";
  }
  return {};
}

int presort_ranks(const Parallelism& parallelism, int ranks_per_host) {
  switch (parallelism.load_balance) {
    case LoadBalance::none:
      return 1;
    case LoadBalance::presort_in_host:
      return std::clamp(ranks_per_host, 1, parallelism.data);
    case LoadBalance::presort_globally:
      return parallelism.data;
  }
  return 1;
}

std::vector<int> bins_of(const Parallelism& parallelism) {
  const std::vector<int>& bins = parallelism.samples.bins;
  return bins.empty() ? equal_bins(parallelism.sequence_length) : bins;
}

std::vector<int> counts_of(const Parallelism& parallelism) {
  const Samples& samples = parallelism.samples;
  if (!samples.counts.empty()) return samples.counts;
  return counts_by_share(samples.histogram, bins_of(parallelism), parallelism.micro_batch);
}

SampleRecipe sample_recipe(const Parallelism& parallelism, int ranks_per_host) {
  SampleRecipe recipe;
  recipe.draw = parallelism.samples.draw;
  if (recipe.draw == SampleDraw::stratified) {
    recipe.bins = bins_of(parallelism);
    recipe.counts = counts_of(parallelism);
  }
  recipe.length = parallelism.sequence_length;
  recipe.samples = parallelism.micro_batch;
  recipe.micro_batches = parallelism.micro_batches;
  recipe.ranks = parallelism.data;
  recipe.presort_group = presort_ranks(parallelism, ranks_per_host);
  return recipe;
}

DealtSamples dealt_samples(const Parallelism& parallelism, int ranks_per_host) {
  const Samples& samples = parallelism.samples;
  if (!samples.vary()) return {};
  return dealt_step(samples.histogram, sample_recipe(parallelism, ranks_per_host),
                    static_cast<std::uint64_t>(samples.seed));
}

}  // namespace quintet
