#include "sim/explain/memory_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace quintet {
namespace {

using namespace literals;

RankMemory memory(std::int32_t rank, int stage, Bytes activations) {
  return {.rank = Rank{rank},
          .stage = stage,
          .weights = 10_GiB,
          .gradients = 20_GiB,
          .optimizer = 5_GiB,
          .activations = activations,
          .logits = 1_GiB,
          .communication = 2_GiB,
          .framework = 0.5_GiB};
}

// 10 + 20 + 5 + 8 + 1 + 2 + 0.5 = 46.5
TEST(RankMemory, TotalsEveryKind) {
  EXPECT_EQ(total(memory(0, 0, 8_GiB)), 46.5_GiB);
}

TEST(RankMemory, IsTheSumOfItsParts) {
  Bytes sum;
  for (const MemoryPart& part : parts_of(memory(0, 0, 8_GiB))) sum += part.size;
  EXPECT_EQ(sum, 46.5_GiB);
  EXPECT_EQ(parts_of(memory(0, 0, 8_GiB))[3], (MemoryPart{"activations", 8_GiB}));
}

// Of stage 0 rank 1 has most; stage 1 has but rank 2, though it comes first.
TEST(MemoryReport, NamesTheFullestRankOfEachStage) {
  const MemoryReport report{{memory(2, 1, 9_GiB), memory(0, 0, 3_GiB), memory(1, 0, 8_GiB)}, {}};
  const std::vector<RankMemory> stages = fullest_of_stages(report);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0], memory(1, 0, 8_GiB));
  EXPECT_EQ(stages[1], memory(2, 1, 9_GiB));
}

TEST(MemoryReport, FitsToTheLastByte) {
  const MemoryReport full{{memory(0, 0, 8_GiB)}, 46.5_GiB};
  EXPECT_EQ(verdict(full), MemoryVerdict::fits);
  const MemoryReport over{{memory(0, 0, 8_GiB)}, 46.5_GiB - 1_B};
  EXPECT_EQ(verdict(over), MemoryVerdict::does_not_fit);
}

TEST(MemoryReport, WithoutRanksFits) {
  EXPECT_EQ(verdict(MemoryReport{}), MemoryVerdict::fits);
  EXPECT_EQ(fullest(MemoryReport{}), std::nullopt);
}

// Stage 0 keeps 8 GiB of activations on ranks 0-2, stage 1 keeps 2 GiB on rank 3:
// totals 46.5, 40.5.
TEST(MemoryTable, PutsNeighboursThatNeedTheSameOnOneLine) {
  const MemoryReport report{
      {memory(0, 0, 8_GiB), memory(1, 0, 8_GiB), memory(2, 0, 8_GiB), memory(3, 1, 2_GiB)}, 62_GiB};
  EXPECT_EQ(
      memory_table(report),
      R"(rank  stage  weights  gradients  optimizer  activations  logits  communication  framework  total
0-2       0    10.00      20.00       5.00         8.00    1.00           2.00       0.50  46.50
3         1    10.00      20.00       5.00         2.00    1.00           2.00       0.50  40.50
fits: 46.50 of 62.00 GiB (75.0 %) on rank 0 (stage 0)
)");
}

TEST(MemoryTable, SaysWhichRankDoesNotFitAndByHowMuch) {
  const MemoryReport report{{memory(0, 0, 2_GiB), memory(1, 1, 8_GiB)}, 40_GiB};
  EXPECT_EQ(verdict_text(report),
            "does not fit: 46.50 of 40.00 GiB on rank 1 (stage 1), 6.50 GiB too much");
}

TEST(MemoryJson, HoldsBytes) {
  const MemoryReport report{{memory(4, 2, 8_GiB)}, 40_GiB};
  const nlohmann::json json = nlohmann::json::parse(memory_json(report));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["verdict"], "does not fit");
  EXPECT_EQ(json["capacity"], (40_GiB).value);
  EXPECT_EQ(json["ranks"][0]["total"], (46.5_GiB).value);
  EXPECT_EQ(json["ranks"][0]["stage"], 2);
}

}  // namespace
}  // namespace quintet
