// Launch scripts as words, with the lines they stand on.
#include "sim/frameworks/shell_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace quintet::test {
namespace {

using Places = std::vector<std::pair<std::string, int>>;

Places places(const std::string& text) {
  const Result<ShellText> read = read_shell(text, "run.sh");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().text());
  Places all;
  if (read)
    for (const ShellWord& word : read->words) all.emplace_back(word.text, word.line);
  return all;
}

TEST(ShellText, LinesGoOnBehindABackslash) {
  EXPECT_EQ(places("a --x 1 \\\n  --y \\\n 2 # not this\nb"),
            (Places{{"a", 1}, {"--x", 1}, {"1", 1}, {"--y", 2}, {"2", 3}, {"b", 4}}));
}

TEST(ShellText, VariablesArePutIn) {
  EXPECT_EQ(places("TP=8\nexport PP=4\na $TP ${PP} \"${TP}x${PP}\" ${NONE:-7}"),
            (Places{{"a", 3}, {"8", 3}, {"4", 3}, {"8x4", 3}, {"7", 3}}));
}

TEST(ShellText, ArraysKeepTheLinesOfTheirWords) {
  EXPECT_EQ(places("ARGS=(\n  --x 1  # one\n  --y\n)\nARGS+=(--z)\na ${ARGS[@]} \"${ARGS[@]}\""),
            (Places{{"a", 6},
                    {"--x", 2},
                    {"1", 2},
                    {"--y", 3},
                    {"--z", 5},
                    {"--x", 2},
                    {"1", 2},
                    {"--y", 3},
                    {"--z", 5}}));
}

TEST(ShellText, AStringOfArgumentsIsSplitWithoutQuotes) {
  EXPECT_EQ(places("ARGS=\"--x 1 \\\n --y\"\na $ARGS"),
            (Places{{"a", 3}, {"--x", 1}, {"1", 1}, {"--y", 2}}));
}

TEST(ShellText, SingleQuotesKeepAll) {
  EXPECT_EQ(places("a 'E|(t|)*3 $X L'"), (Places{{"a", 1}, {"E|(t|)*3 $X L", 1}}));
}

TEST(ShellText, WhatIsNotSetIsUnknown) {
  const Result<ShellText> read = read_shell("a $X $(b) ${X} c", "run.sh");
  ASSERT_TRUE(read.has_value());
  const std::vector<ShellWord> expected{
      {"a", 1, false}, {"$X", 1, true}, {"$(b)", 1, true}, {"$X", 1, true}, {"c", 1, false}};
  EXPECT_EQ(read->words, expected);
}

TEST(ShellText, WhatDoesNotEndIsRefusedWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a\nb 'c", "run.sh:2: a quote begins here that does not end"},
      {"a\nb \"c", "run.sh:2: a quote begins here that does not end"},
      {"\n\nA=(b", "run.sh:3: an array begins here that has no \")\""},
      {"a ${B", "run.sh:1: \"{\" begins here without its \"}\""}};
  for (const auto& [text, error] : cases) {
    const Result<ShellText> read = read_shell(text, "run.sh");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().text(), error);
  }
}

}  // namespace
}  // namespace quintet::test
