#include "sim/packing/packing.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

// Longer than any buffer on the way.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

std::string packed(const std::string& text, Packing packing) {
  std::ostringstream out;
  PackedStream stream(out, packing);
  stream << text;
  stream.finish();
  EXPECT_TRUE(stream);
  return out.str();
}

class Each : public ::testing::TestWithParam<Packing> {};
INSTANTIATE_TEST_SUITE_P(Packing, Each, ::testing::Values(Packing::gzip, Packing::zstd));

TEST_P(Each, ReadsBackWhatWasPacked) {
  const std::string text = long_text(), bytes = packed(text, GetParam());
  EXPECT_LT(bytes.size(), text.size() / 2);
  EXPECT_EQ(packing_of(std::string_view(bytes)), GetParam());
  const auto read = unpacked(bytes, "t", Bytes{1e9});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, text);
}

TEST_P(Each, ReadsPiecesOneBehindAnother) {
  const auto read = unpacked(packed("ab", GetParam()) + packed("cd", GetParam()), "t", Bytes{9});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, "abcd");
}

TEST_P(Each, RefusesWhatIsCutOffDamagedOrTooLong) {
  const std::string bytes = packed(long_text(), GetParam());
  const auto cut = unpacked(bytes.substr(0, bytes.size() / 2), "t", Bytes{1e9});
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().text().find("t: is cut off"), std::string::npos) << cut.error().text();
  std::string wrong = bytes;
  for (std::size_t i = 20; i < 40; ++i) wrong[i] = '\x7f';
  EXPECT_FALSE(unpacked(wrong, "t", Bytes{1e9}));
  const auto long_one = unpacked(bytes, "t", Bytes{1000});
  ASSERT_FALSE(long_one);
  EXPECT_NE(long_one.error().text().find("longer than"), std::string::npos);
}

TEST_P(Each, ShowsTheBeginningOfABeginning) {
  const std::string text = long_text(), bytes = packed(text, GetParam());
  EXPECT_EQ(unpacked_beginning(bytes.substr(0, bytes.size() / 2), 100), text.substr(0, 100));
}

// The programs that everybody has.
TEST(Packing, IsWhatGzipReadsAndWrites) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir());
  std::ofstream(folder / "ours.gz", std::ios::binary) << packed("ours\n", Packing::gzip);
  const ProgramRun run = run_shell("gzip -dc ours.gz; echo theirs | gzip -c > theirs.gz", folder);
  EXPECT_EQ(run.out, "ours\n");
  std::ostringstream bytes;
  bytes << std::ifstream(folder / "theirs.gz", std::ios::binary).rdbuf();
  EXPECT_EQ(*unpacked(bytes.str(), "t", Bytes{100}), "theirs\n");
}

TEST(Packing, IsToldByTheEndOfTheName) {
  EXPECT_EQ(packing_of(std::filesystem::path("a/step.json.gz")), Packing::gzip);
  EXPECT_EQ(packing_of(std::filesystem::path("step.json.zst")), Packing::zstd);
  EXPECT_EQ(packing_of(std::filesystem::path("step.json")), Packing::none);
  EXPECT_EQ(packed("text", Packing::none), "text");
}

}  // namespace
}  // namespace quintet::test
