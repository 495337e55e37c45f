#include "sim/samples/dealt_step.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/base/text_file.h"
#include "sim/samples/pack.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

LengthHistogram read(const fs::path& file) {
  const auto lengths = parse_length_histogram(*read_text_file(file), file.string());
  EXPECT_TRUE(lengths) << lengths.error().text();
  return *lengths;
}

// 24 h^2 s + 4 h s^2 operations of a layer of BERT-large, h = 1024: s + s^2 / 6144 tokens' worth.
constexpr double keys = 6144;

struct Figures {
  double over_mean, over_padded;
};

Figures figures(const LengthHistogram& lengths, SampleDraw draw, int group) {
  SampleRecipe recipe{.draw = draw, .length = 512, .samples = 16, .ranks = 1024};
  recipe.presort_group = group;
  if (draw == SampleDraw::stratified) {
    recipe.bins = equal_bins(512);
    recipe.counts = counts_by_share(lengths, recipe.bins, 16);
  }
  const LoadBalanceFigures found = load_balance_figures(lengths, recipe, keys, 64);
  return {found.slowest_cost / found.mean_cost, found.slowest_cost / found.padded_cost};
}

// A Monte Carlo by others: 1,024 GPUs of 16 sequences, hosts of 8 (bert_load_balance_model.csv).
void expect_the_published(const LengthHistogram& lengths) {
  using enum SampleDraw;
  struct Row {
    SampleDraw draw;
    int group;
    Figures published;
  };
  for (const auto& [draw, group, published] :
       {Row{random, 1, {1.6026, 0.7854}}, Row{random, 8, {1.1814, 0.5789}},
        Row{stratified, 1, {1.1024, 0.5386}}, Row{stratified, 8, {1.0441, 0.5101}},
        Row{random, 1024, {1.0040, 0.4920}}}) {
    const Figures found = figures(lengths, draw, group);
    EXPECT_NEAR(found.over_mean, published.over_mean, 0.01) << name_of(draw) << " " << group;
    EXPECT_NEAR(found.over_padded, published.over_padded, 0.01) << name_of(draw) << " " << group;
  }
}

TEST(DealtStep, AgreesWithThePublishedLoadBalance) {
  const auto file =
      fs::path(QUINTET_SOURCE_DIR) / "../shared/validation/bert_wikipedia_seqlen_histogram.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "NOT CHECKED: there is no " << file;
  const LengthHistogram lengths = read(file);
  EXPECT_EQ(counts_by_share(lengths, equal_bins(512), 16), (std::vector<int>{6, 3, 2, 5}));
  expect_the_published(lengths);
}

// In steps of 8 tokens the shipped one says the same.
TEST(DealtStep, AgreesWithThePublishedLoadBalanceByTheShippedHistogram) {
  expect_the_published(read(fs::path(QUINTET_SOURCE_DIR) / "traces/lengths/bert-wikipedia.csv"));
}

// Half of 2 tokens, half of 6, a bin for each: every rank has 2 and 6 of each micro-batch, 8 tokens
// and 4 + 36 squares; the presort of two ranks deals 6 6 2 2 | 6 6 2 2 into 6 6 2 2 each, longest
// first.
TEST(DealtStep, SeesMicroBatchesAsWork) {
  SampleRecipe recipe{.draw = SampleDraw::stratified,
                      .bins = {3, 6},
                      .counts = {1, 1},
                      .length = 6,
                      .samples = 2,
                      .micro_batches = 2,
                      .ranks = 2};
  const LengthHistogram lengths{{0, 0.5, 0, 0, 0, 0.5}};
  const SampleWork mixed{2, 8, 40};
  const DealtSamples apart{{2, 12, 72}, {{mixed, mixed}, {mixed, mixed}}};
  EXPECT_EQ(dealt_step(lengths, recipe, 1), apart);
  recipe.presort_group = 2;
  const SampleWork longest{2, 12, 72}, shortest{2, 4, 8};
  EXPECT_EQ(dealt_step(lengths, recipe, 1).of_rank,
            (std::vector<std::vector<SampleWork>>{{longest, shortest}, {longest, shortest}}));
}

TEST(DealtStep, IsTheSameOfOneSeed) {
  const LengthHistogram lengths{{0.25, 0.25, 0.25, 0.25}};
  const SampleRecipe recipe{.length = 4, .samples = 8, .ranks = 4};
  EXPECT_EQ(dealt_step(lengths, recipe, 3), dealt_step(lengths, recipe, 3));
  EXPECT_NE(dealt_step(lengths, recipe, 3), dealt_step(lengths, recipe, 4));
}

// Rows of 10: 6 + 4 and 4 + 4, 6: of samples 6, 4, 4, 4 two rows are 6 + 4 (52 squares) and 4 + 4
// with 2 of padding (36).
TEST(Pack, FillsRowsAndCountsTheRestAsASample) {
  EXPECT_EQ(packed_rows(std::vector<int>{4, 6, 4, 4}, 10),
            (std::vector<std::vector<std::size_t>>{{1, 0}, {2, 3}}));
  EXPECT_EQ(packed_rows_of({{0, 0, 0, 0.75, 0, 0.25}}, 10, 4),
            (std::vector<SampleWork>{{2, 10, 52}, {3, 10, 36}}));
}

// A packed row is full: ranks have the same tokens, and differ in attention only.
TEST(DealtStep, GivesPackedRanksTheSameTokens) {
  const LengthHistogram lengths{{0.25, 0.25, 0.25, 0.25}};
  const SampleRecipe recipe{
      .draw = SampleDraw::packed, .length = 12, .samples = 2, .micro_batches = 2, .ranks = 8};
  for (const auto& rank : dealt_step(lengths, recipe, 1).of_rank)
    for (const SampleWork& work : rank) EXPECT_EQ(work.tokens, 24);
}

}  // namespace
}  // namespace quintet
