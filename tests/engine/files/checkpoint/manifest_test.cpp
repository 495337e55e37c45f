#include "engine/files/checkpoint/manifest.h"

#include <gtest/gtest.h>

#include <limits>

namespace quintet {
namespace {

Manifest full_manifest() {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return {{.step = 1000,
           .optimizer_step = 998,
           .weight_seed = most,
           .dropout_seed = 1,
           .data_seed = most - 1,
           .next_sequence = 512'000,
           .loss_scale = 1.0 / 3.0,
           .steps_since_overflow = 17},
          {{"rank-00000.shard", 4096, 0xef46db3751d8e999}, {"rank-00001.shard", 0, 0}},
          {{"model", "gpt2 \"small\"\n"}, {"plan", "tp2 pp2"}}};
}

std::string replaced(std::string text, const std::string& found, const std::string& with) {
  const std::size_t at = text.find(found);
  if (at == std::string::npos) throw std::runtime_error("not found: " + found);
  return text.replace(at, found.size(), with);
}

std::string complaint(const std::string& text) {
  const Result<Manifest> manifest = parse_manifest(text, "m");
  return manifest ? "accepted" : manifest.error().text();
}

TEST(Manifest, EverythingComesBackToTheLastBit) {
  const Result<Manifest> again = parse_manifest(manifest_text(full_manifest()), "m");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, full_manifest());
}

TEST(Manifest, AChangedNumberIsFound) {
  const std::string text = manifest_text(full_manifest());
  EXPECT_TRUE(complaint(replaced(text, "512000", "512001"))
                  .starts_with("m: xxh64: the manifest is damaged: its checksum is "));
  EXPECT_NE(complaint(replaced(text, "gpt2", "gpt3")), "accepted");
  EXPECT_NE(complaint(text.substr(0, text.size() / 2)), "accepted");
}

TEST(Manifest, ShardsMayNotLeadOutOfTheFolder) {
  const std::string text = manifest_text(full_manifest());
  for (const char* name : {"../x", "/x", "..", ""})
    EXPECT_EQ(complaint(replaced(text, "rank-00000.shard", name)),
              "m: shards[0].file: expected the name of a file beside this");
  EXPECT_EQ(complaint(replaced(text, "rank-00000", "rank-00001")),
            "m: shards[1].file: \"rank-00001.shard\" appears twice");
}

TEST(Manifest, AnotherFormatIsRefused) {
  const std::string text = manifest_text(full_manifest());
  EXPECT_TRUE(complaint(replaced(text, "\"format\": 1", "\"format\": 2")).starts_with("m: format"));
  EXPECT_NE(complaint(replaced(text, "\"step\": 1000", "\"step\": -1")), "accepted");
}

TEST(Manifest, ASummaryTravelsAsText) {
  const ShardSummary summary{"rank-00007.shard", 123, 0xabcdef};
  const Result<ShardSummary> again = parse_summary(summary_text(summary), "rank 7");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, summary);
  EXPECT_FALSE(parse_summary("{}", "rank 7"));
}

}  // namespace
}  // namespace quintet
