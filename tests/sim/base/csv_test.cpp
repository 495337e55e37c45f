#include "sim/base/csv.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using Rows = std::vector<CsvRow>;

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineEnds) {
  const auto rows = parse_csv("a,\"b, \"\"c\"\"\nd\",\r\n\nlast,,x\n", "f.csv");
  ASSERT_TRUE(rows);
  // The quoted cell has a line end, so that the second row begins on line 4 (line 3 is empty).
  EXPECT_EQ(*rows, (Rows{{1, {"a", "b, \"c\"\nd", ""}}, {4, {"last", "", "x"}}}));
}

TEST(Csv, ALastLineWithoutAnEndCounts) {
  const auto rows = parse_csv("a,b", "f.csv");
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, (Rows{{1, {"a", "b"}}}));
}

TEST(Csv, AQuoteThatNeverClosesIsNamedWhereItOpened) {
  const auto rows = parse_csv("a,b\nc,\"d\ne,f\n", "f.csv");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error(), (Error{"f.csv: line 2, column 3", "the quote opened here never closes"}));
}

TEST(Csv, AQuoteInsideAPlainCellAndTextAfterAClosedOneAreRefused) {
  const auto inside = parse_csv("a\"b\n", "f.csv");
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().where, "f.csv: line 1, column 2");
  const auto after = parse_csv("\"a\"b\n", "f.csv");
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().where, "f.csv: line 1, column 4");
}

TEST(Csv, ANumberFillsItsCellAndIsFinite) {
  EXPECT_EQ(csv_number("-2.5e3"), -2500.0);
  for (const char* const other : {"", " 1", "1 s", "one", "inf", "nan", "1e999"})
    EXPECT_EQ(csv_number(other), std::nullopt) << other;
}

}  // namespace
}  // namespace quintet
