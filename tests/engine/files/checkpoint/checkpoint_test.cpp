#include "engine/files/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include "tests/support/small_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

Checkpoint opened(const std::filesystem::path& folder, std::int64_t step) {
  Result<Checkpoint> checkpoint = Checkpoint::open(step_folder(folder, step));
  if (!checkpoint) throw std::runtime_error(checkpoint.error().text());
  return std::move(*checkpoint);
}

std::string complaint(Checkpoint& checkpoint, const Piece& wanted) {
  std::vector<std::byte> content(bytes_of(wanted));
  const std::optional<Error> error = checkpoint.read(wanted, content);
  return error ? error->text() : "read";
}

TEST(Checkpoint, ATensorComesTogetherFromTheShardsThatHoldIt) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path(), 3);
  Checkpoint checkpoint = opened(folder.path(), 3);
  const Result<std::vector<float>> numbers = read_small(checkpoint);
  ASSERT_TRUE(numbers) << numbers.error().text();
  EXPECT_EQ(*numbers, numbers_from(300, 24));
  EXPECT_FALSE(checkpoint.check_all());
}

// Row 1, columns 2 and 3: one number from each shard.
TEST(Checkpoint, APartAcrossShardsIsRead) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path(), 3);
  Checkpoint checkpoint = opened(folder.path(), 3);
  std::vector<float> numbers(2);
  EXPECT_FALSE(checkpoint.read({"t", StoredType::fp32, small_shape, {{1, 2}, {1, 2}}},
                               std::as_writable_bytes(std::span(numbers))));
  EXPECT_EQ(numbers, (std::vector<float>{308, 309}));
}

TEST(Checkpoint, WhatIsMissingOrOfAnotherKindIsNamed) {
  const TemporaryFolder folder;
  require(make_step_folder(folder.path(), 0));
  Manifest manifest;
  manifest.shards.push_back(
      written(step_folder(folder.path(), 0) / shard_name(0),
              {piece_of("t", small_shape, {{0, 0}, {3, 6}}, numbers_from(0, 24))}));
  require(complete_step(folder.path(), manifest));
  Checkpoint checkpoint = opened(folder.path(), 0);
  const std::string place = step_folder(folder.path(), 0).string();
  EXPECT_EQ(complaint(checkpoint, {"t", StoredType::fp32, small_shape, whole(small_shape)}),
            place + ": \"t\": no piece holds the [1, 6] elements from [3, 0] on");
  EXPECT_EQ(complaint(checkpoint, {"u", StoredType::fp32, small_shape, whole(small_shape)}),
            place + ": \"u\": is not in this checkpoint");
  EXPECT_EQ(complaint(checkpoint, {"t", StoredType::bf16, small_shape, whole(small_shape)}),
            place + ": \"t\": is F32 [4, 6], wanted is BF16 [4, 6]");
  EXPECT_EQ(complaint(checkpoint, {"t", StoredType::fp32, {4, 7}, {{0, 0}, {3, 6}}}),
            place + ": \"t\": is F32 [4, 6], wanted is F32 [4, 7]");
}

// Two pieces of 12 elements over the same place are not the 24 of the whole.
TEST(Checkpoint, PiecesOverOneAnotherAreNotCountedTwice) {
  const TemporaryFolder folder;
  require(make_step_folder(folder.path(), 0));
  const SnapshotPiece half = piece_of("t", small_shape, {{0, 0}, {2, 6}}, numbers_from(0, 24));
  Manifest manifest;
  manifest.shards.push_back(written(step_folder(folder.path(), 0) / shard_name(0), {half, half}));
  require(complete_step(folder.path(), manifest));
  Checkpoint checkpoint = opened(folder.path(), 0);
  EXPECT_FALSE(read_small(checkpoint));
}

TEST(Checkpoint, DamageIsFoundWhenThePieceIsReadAndNotElsewhere) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path(), 3);
  const auto file = step_folder(folder.path(), 3) / shard_name(1);
  damage(file, static_cast<std::streamoff>(std::filesystem::file_size(file)) - 64);
  Checkpoint checkpoint = opened(folder.path(), 3);
  EXPECT_EQ(complaint(checkpoint, {"t", StoredType::fp32, small_shape, {{0, 0}, {4, 3}}}), "read");
  const Result<std::vector<float>> numbers = read_small(checkpoint);
  ASSERT_FALSE(numbers);
  EXPECT_EQ(numbers.error().where, file.string() + ": \"t\"");
  EXPECT_TRUE(checkpoint.check_all());
}

TEST(Checkpoint, ShardsThatDisagreeAboutATensorAreRefused) {
  const TemporaryFolder folder;
  require(make_step_folder(folder.path(), 0));
  const auto place = step_folder(folder.path(), 0);
  Manifest manifest;
  manifest.shards.push_back(written(place / "a", {piece_of("t", {2}, {{0}, {1}}, {1, 2})}));
  manifest.shards.push_back(written(place / "b", {piece_of("t", {3}, {{1}, {2}}, {1, 2, 3})}));
  require(complete_step(folder.path(), manifest));
  const Result<Checkpoint> checkpoint = Checkpoint::open(place);
  ASSERT_FALSE(checkpoint);
  EXPECT_EQ(checkpoint.error().text(),
            (place / "b").string() + ": \"t\": is F32 [3] here and F32 [2] elsewhere");
}

}  // namespace
}  // namespace quintet
