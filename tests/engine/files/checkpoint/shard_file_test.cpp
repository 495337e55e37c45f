#include "engine/files/checkpoint/shard_file.h"

#include <gtest/gtest.h>

#include "engine/files/checkpoint/background_writer.h"
#include "tests/support/small_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

Snapshot two_pieces() {
  const std::vector<float> numbers = numbers_from(0, 24);
  return {piece_of("t", small_shape, {{0, 0}, {4, 3}}, numbers),
          piece_of("u", {2}, {{1}, {1}}, {7, 8})};
}

TEST(ShardFile, HoldsThePiecesThatWereWritten) {
  const TemporaryFolder folder;
  const Snapshot snapshot = two_pieces();
  const ShardSummary summary = written(folder.path() / "s", snapshot);
  EXPECT_EQ(summary.file, "s");
  EXPECT_EQ(summary.size, std::filesystem::file_size(folder.path() / "s"));
  const Result<ShardFile> shard = ShardFile::open(folder.path(), summary);
  ASSERT_TRUE(shard) << shard.error().text();
  ASSERT_EQ(shard->pieces().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const StoredPiece& piece = shard->pieces()[i];
    EXPECT_EQ(piece.piece, snapshot[i].piece);
    EXPECT_EQ(piece.begin % 64, 0u);
    EXPECT_FALSE(shard->check(piece));
    const auto data = shard->data(piece);
    EXPECT_EQ(std::vector<std::byte>(data.begin(), data.end()), snapshot[i].content);
  }
}

// Every bit of the file but the padding matters, and no damage is read as something else.
TEST(ShardFile, EveryDamagedByteIsFound) {
  const TemporaryFolder folder;
  const ShardSummary summary = written(folder.path() / "s", two_pieces());
  const std::string good = bytes_of(folder.path() / "s");
  const Result<ShardFile> reference = ShardFile::open(folder.path(), summary);
  ASSERT_TRUE(reference);
  std::vector<bool> matters(good.size(), false);
  const std::size_t header_end = good.find("}]}") + 3;
  std::fill_n(matters.begin(), header_end, true);
  for (const StoredPiece& piece : reference->pieces())
    for (std::size_t i = 0; i < bytes_of(piece.piece); ++i) matters[piece.begin + i] = true;
  for (std::size_t at = 0; at < good.size(); ++at) {
    if (!matters[at]) continue;
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    write_bytes(folder.path() / "s", bad);
    const Result<ShardFile> shard = ShardFile::open(folder.path(), summary);
    bool found = !shard;
    if (shard)
      for (const StoredPiece& piece : shard->pieces()) found = found || shard->check(piece);
    EXPECT_TRUE(found) << "byte " << at;
  }
}

TEST(ShardFile, DamageIsReportedByFileAndTensor) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "s";
  const ShardSummary summary = written(file, two_pieces());
  const std::size_t begin = ShardFile::open(folder.path(), summary)->pieces()[1].begin;
  damage(file, static_cast<std::streamoff>(begin));
  const Result<ShardFile> shard = ShardFile::open(folder.path(), summary);
  ASSERT_TRUE(shard);
  EXPECT_FALSE(shard->check(shard->pieces()[0]));
  const std::optional<Error> error = shard->check(shard->pieces()[1]);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->where, file.string() + ": \"u\"");
  EXPECT_TRUE(error->what.starts_with("is damaged: its checksum is "));
}

TEST(ShardFile, AShardCutShortOrOfAnotherStepIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "s";
  const ShardSummary summary = written(file, two_pieces());
  const auto complaint = [&] {
    const Result<ShardFile> shard = ShardFile::open(folder.path(), summary);
    return shard ? "accepted" : shard.error().what;
  };
  Snapshot other = two_pieces();
  other[1].content[0] ^= std::byte{1};
  written(file, other);
  EXPECT_TRUE(complaint().starts_with("is another file than the manifest tells of"));
  std::filesystem::resize_file(file, summary.size - 1);
  EXPECT_EQ(complaint(), "is " + std::to_string(summary.size - 1) + " bytes long, written were " +
                             std::to_string(summary.size));
  std::filesystem::remove(file);
  EXPECT_EQ(complaint(), "cannot be opened: No such file or directory");
}

TEST(BackgroundWriter, WritesWhatItWasGivenWhileItsOwnerGoesOn) {
  const TemporaryFolder folder;
  BackgroundWriter writer;
  EXPECT_FALSE(writer.finished());
  writer.start(folder.path() / "s", std::make_unique<SnapshotSource>(two_pieces()));
  EXPECT_TRUE(writer.busy());
  const Result<ShardSummary> summary = writer.wait();
  ASSERT_TRUE(summary);
  EXPECT_FALSE(writer.busy());
  ShardSummary expected = written(folder.path() / "again", two_pieces());
  expected.file = "s";
  EXPECT_EQ(*summary, expected);
  EXPECT_EQ(bytes_of(folder.path() / "s"), bytes_of(folder.path() / "again"));
}

TEST(BackgroundWriter, AFailureIsTheResult) {
  const TemporaryFolder folder;
  BackgroundWriter writer;
  writer.start(folder.path() / "missing" / "s", std::make_unique<SnapshotSource>(two_pieces()));
  const Result<ShardSummary> summary = writer.wait();
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().what, "cannot be created: No such file or directory");
}

}  // namespace
}  // namespace quintet
