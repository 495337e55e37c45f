#include "sim/validate/rows/published_row.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/sim/validate/rows.h"

namespace quintet {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

TEST(PublishedRow, ARowIsReadByItsHeader) {
  const auto rows = parse_rows(header() + gpt_row(), "f.csv");
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 1u);
  const PublishedRow& row = rows->front();
  EXPECT_EQ(row.id, "r-1");
  EXPECT_EQ(row.source, "a, book");
  EXPECT_EQ(row.line, 2);
  EXPECT_EQ(row.layers, 8);
  EXPECT_EQ(row.params_b, std::nullopt);
  EXPECT_EQ(row.vpp, "2");
  EXPECT_EQ(row.status, RowStatus::ok);
  EXPECT_EQ(measured_step(row), 0.5);
}

TEST(PublishedRow, TheStepFollowsFromTokensPerSecond) {
  // 32 sequences of 1,024 tokens at 128 tokens per second on each of 16 GPUs: 16 s.
  const auto rows = parse_rows(header() + replaced(gpt_row(), "0.5,,,", ",128,,"), "f.csv");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(measured_step(rows->front()), 16);
}

TEST(PublishedRow, BadCellsAreNamedWithLineAndColumn) {
  const auto rows = parse_rows(header() + replaced(gpt_row(), ",8,1024,", ",8.5,1024,"), "f.csv");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error(), (Error{"f.csv: line 2, column \"layers\"",
                                 "expected a whole number from 0 to 1000000000 or nothing, found "
                                 "\"8.5\""}));
  const auto status = parse_rows(header() + replaced(gpt_row(), ",ok,", ",fine,"), "f.csv");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), (Error{"f.csv: line 2, column \"status\"",
                                   "expected ok, oom or error, found \"fine\""}));
}

TEST(PublishedRow, MissingAndUnknownColumnsAreRefused) {
  const auto missing = parse_rows(replaced(header(), ",vocab", ""), "f.csv");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "f.csv: line 1: column \"vocab\" is missing");
  const auto misspelt = parse_rows(replaced(header(), "vocab", "vocabs"), "f.csv");
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().text(),
            "f.csv: line 1: column \"vocabs\" is unknown; did you mean \"vocab\"?");
  const auto unknown = parse_rows("library,routine\n", "f.csv");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().text().find("f.csv: line 1: column \"library\" is unknown; published "
                                        "training steps have the columns "),
            0u);
  const auto shorter = parse_rows(header() + "r-1,x\n", "f.csv");
  ASSERT_FALSE(shorter);
  EXPECT_EQ(shorter.error().text(), "f.csv: line 2: has 2 cells, the header has 45");
}

TEST(PublishedRow, EveryPublishedFileIsRead) {
  const std::filesystem::path folder =
      std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/validation";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the published rows are not beside the repository: " << folder;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("e2e_") || entry.path().extension() != ".csv") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto rows = parse_rows(text, name);
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_FALSE(rows->empty()) << name;
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace quintet
