// Words and units as people write them.
#include "sim/base/usual_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/base/quantity_text.h"

namespace quintet {
namespace {

const std::vector<std::string_view> shardings{"none", "optimizer", "gradients", "parameters"};
const std::vector<std::string_view> schedules{"gpipe", "1f1b", "interleaved", "zb-h1"};

std::string meant(std::string_view word, const std::vector<std::string_view>& words) {
  const auto found = word_meant(word, words);
  return found ? std::string(words[*found]) : "";
}

TEST(UsualWords, MeanOurs) {
  EXPECT_EQ(meant("zero1", shardings), "optimizer");
  EXPECT_EQ(meant("ZeRO-2", shardings), "gradients");
  EXPECT_EQ(meant("FSDP", shardings), "parameters");
  EXPECT_EQ(meant("1F1B", schedules), "1f1b");
  EXPECT_EQ(meant("ZB_H1", schedules), "zb-h1");
  EXPECT_EQ(meant("2f2b", schedules), "");
  EXPECT_EQ(meant("fsdp", schedules), "");  // no word of this set
  EXPECT_EQ(field_meant("tp"), "tensor");
  EXPECT_EQ(field_meant("MBS"), "micro_batch");
  EXPECT_EQ(field_meant("tensor"), std::nullopt);
}

TEST(UsualWords, AreNotChosenBetween) {
  EXPECT_EQ(word_meant("ab", {"AB", "Ab"}), std::nullopt);
  EXPECT_EQ(word_meant("Ab", {"AB", "Ab"}), 1u);  // as it is written
}

TEST(UsualUnits, NeedNoBlankAndNoCase) {
  EXPECT_EQ(*parse_bytes("80GB"), Bytes{80e9});
  EXPECT_EQ(*parse_bytes("80gb"), Bytes{80e9});
  EXPECT_EQ(*parse_bytes("80gib"), *parse_bytes("80 GiB"));
  EXPECT_EQ(*parse_bandwidth("400Gbps"), Bandwidth{50e9});
  EXPECT_EQ(*parse_bandwidth("400gbps"), Bandwidth{50e9});
  EXPECT_EQ(*parse_bandwidth("50GBps"), Bandwidth{50e9});
  EXPECT_EQ(*parse_data_type("BF16"), DataType::bf16);
  EXPECT_EQ(*parse_data_type("bfloat16"), DataType::bf16);
}

// Bits or bytes: a factor of eight is not guessed.
TEST(UsualUnits, ThatMayBeTwoThingsAreSuggested) {
  const auto said = [](const Result<Bandwidth>& result) {
    return result ? "accepted" : result.error().what;
  };
  const std::string of_400g = said(parse_bandwidth("400G"));
  EXPECT_NE(of_400g.find("did you mean \"400 GB/s\""), std::string::npos) << of_400g;
  EXPECT_NE(of_400g.find("\"400 Gb/s\""), std::string::npos) << of_400g;
  EXPECT_NE(said(parse_bandwidth("450gb/s")).find("did you mean"), std::string::npos);
  EXPECT_NE(said(parse_bandwidth("450 parsec")).find("expected a bandwidth"), std::string::npos);
}

}  // namespace
}  // namespace quintet
