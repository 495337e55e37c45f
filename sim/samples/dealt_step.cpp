#include "sim/samples/dealt_step.h"

#include <algorithm>
#include <cassert>

#include "sim/samples/pack.h"
#include "sim/samples/presort.h"

namespace quintet {

namespace {

using RankWorks = std::vector<SampleWork>;  // by micro-batch

std::vector<Quota> quotas(const LengthHistogram& lengths, const SampleRecipe& recipe) {
  return recipe.draw == SampleDraw::stratified ? stratified(lengths, recipe.bins, recipe.counts)
                                               : unstratified(lengths, recipe.samples);
}

Lengths drawn_by_rank(const std::vector<Quota>& from, int micro_batches, std::mt19937_64& random) {
  Lengths all;
  for (int micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
    const Lengths some = drawn(from, random);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<RankWorks> drawn_ranks(const LengthHistogram& lengths, const SampleRecipe& recipe,
                                   std::mt19937_64& random) {
  const std::vector<Quota> from = quotas(lengths, recipe);
  std::vector<Lengths> ranks;
  for (int rank = 0; rank < recipe.ranks; ++rank)
    ranks.push_back(drawn_by_rank(from, recipe.micro_batches, random));
  if (recipe.presort_group > 1) ranks = presorted(ranks, recipe.presort_group);
  const auto samples = static_cast<std::size_t>(recipe.samples);
  std::vector<RankWorks> works;
  for (const Lengths& rank : ranks) {
    RankWorks& own = works.emplace_back();
    for (std::size_t first = 0; first < rank.size(); first += samples)
      own.push_back(work_of(std::span(rank).subspan(first, samples)));
  }
  return works;
}

// Enough for every mix of lengths that a data set's rows have.
constexpr int packed_samples = 1 << 14;

std::vector<RankWorks> packed_ranks(const LengthHistogram& lengths, const SampleRecipe& recipe,
                                    std::mt19937_64& random) {
  const std::vector<SampleWork> rows = packed_rows_of(lengths, recipe.length, packed_samples);
  std::vector<RankWorks> works;
  for (int rank = 0; rank < recipe.ranks; ++rank) {
    RankWorks& own = works.emplace_back();
    for (int micro_batch = 0; micro_batch < recipe.micro_batches; ++micro_batch) {
      SampleWork work;
      for (int row = 0; row < recipe.samples; ++row)
        work = sum(work, rows[static_cast<std::size_t>(random() % rows.size())]);
      own.push_back(work);
    }
  }
  return works;
}

double rank_cost(const RankWorks& works, double keys_per_token) {
  SampleWork all;
  for (const SampleWork& work : works) all = sum(all, work);
  return cost_in_tokens(all, keys_per_token);
}

}  // namespace

DealtSamples dealt_step(const LengthHistogram& lengths, const SampleRecipe& recipe,
                        std::uint64_t seed) {
  assert(!lengths.empty() && recipe.ranks > 0 && recipe.samples > 0 && recipe.length > 0);
  std::mt19937_64 random(seed);
  return {equal_samples(recipe.samples, recipe.length), recipe.draw == SampleDraw::packed
                                                            ? packed_ranks(lengths, recipe, random)
                                                            : drawn_ranks(lengths, recipe, random)};
}

LoadBalanceFigures load_balance_figures(const LengthHistogram& lengths, const SampleRecipe& recipe,
                                        double keys_per_token, int steps) {
  constexpr double tokens_alone = 1e300;  // keys are for nothing
  const auto padded = equal_samples(recipe.samples, recipe.length);
  LoadBalanceFigures found;
  found.padded_cost = recipe.micro_batches * cost_in_tokens(padded, keys_per_token);
  for (int step = 0; step < steps; ++step) {
    const DealtSamples dealt = dealt_step(lengths, recipe, static_cast<std::uint64_t>(step) + 1);
    double slowest_tokens = 0, slowest_cost = 0;
    for (const RankWorks& works : dealt.of_rank) {
      const double tokens = rank_cost(works, tokens_alone), cost = rank_cost(works, keys_per_token);
      found.mean_tokens += tokens / recipe.ranks / steps;
      found.mean_cost += cost / recipe.ranks / steps;
      slowest_tokens = std::max(slowest_tokens, tokens);
      slowest_cost = std::max(slowest_cost, cost);
    }
    found.slowest_tokens += slowest_tokens / steps;
    found.slowest_cost += slowest_cost / steps;
  }
  return found;
}

}  // namespace quintet
