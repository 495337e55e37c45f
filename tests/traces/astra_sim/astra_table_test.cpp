#include "tests/traces/astra_sim/astra_table.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

// The rest of the table takes minutes: tests/benchmark/astra_rules.cpp.
bool quick(const AstraRow& row) {
  return ranks_of(row.network) <= 256 ||
         (row.network.dimensions.size() > 1 && ranks_of(row.network) <= 1024);
}

TEST(AstraTable, GivesAstraSimsTimesToTheNanosecondOnEveryRank) {
  int rows = 0;
  for (const AstraRow& row : astra_rows()) {
    if (!quick(row)) continue;
    ++rows;
    const Result<AstraTimes> times = times_of(row);
    ASSERT_TRUE(times) << row.name << ": " << times.error().text();
    const Instant expected{row.nanoseconds * 1000};
    EXPECT_EQ(times->end, expected) << row.name;
    for (const AstraRankTime& rank : times->ranks)
      ASSERT_EQ(rank, (AstraRankTime{expected, expected - Instant{}})) << row.name;
  }
  EXPECT_EQ(rows, 20);
}

// A ring of N ranks sends 2 N (N - 1) messages, a direct all-to-all N (N - 1).
TEST(AstraTable, CountsTheMessagesOfTheCollective) {
  for (const AstraRow& row : astra_rows()) {
    if (!quick(row) || row.network.dimensions.size() > 1) continue;
    const std::int64_t ranks = ranks_of(row.network);
    const std::int64_t rounds = row.kind == CollectiveKind::all_reduce ? 2 : 1;
    EXPECT_EQ(times_of(row)->messages, row.splits * rounds * ranks * (ranks - 1)) << row.name;
  }
}

}  // namespace
}  // namespace quintet
