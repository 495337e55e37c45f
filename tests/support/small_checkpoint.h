// A run with one tensor "t" of 4 x 6 numbers, over two writers, at any step.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "engine/files/checkpoint/shard_file.h"

namespace quintet {

inline const Shape small_shape{4, 6};

inline std::vector<float> numbers_from(float first, std::size_t count) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

inline std::vector<std::byte> bytes_from(const std::vector<float>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

// A piece and its elements in row-major order.
struct SnapshotPiece {
  Piece piece;
  std::vector<std::byte> content;
};
using Snapshot = std::vector<SnapshotPiece>;

class SnapshotSource final : public ShardSource {
 public:
  explicit SnapshotSource(Snapshot snapshot) : snapshot_(std::move(snapshot)) {
    for (const SnapshotPiece& part : snapshot_) pieces_.push_back(part.piece);
  }
  std::optional<Error> take_copies() override { return std::nullopt; }
  const std::vector<Piece>& pieces() const override { return pieces_; }
  void put_content(std::size_t piece, std::span<std::byte> content) override {
    std::copy(snapshot_[piece].content.begin(), snapshot_[piece].content.end(), content.begin());
  }

 private:
  Snapshot snapshot_;
  std::vector<Piece> pieces_;
};

inline SnapshotPiece piece_of(const std::string& tensor, const Shape& shape, const Box& box,
                              const std::vector<float>& whole_tensor) {
  SnapshotPiece part{{tensor, StoredType::fp32, shape, box}, {}};
  part.content.resize(bytes_of(part.piece));
  copy_part(box, whole(shape), std::as_bytes(std::span(whole_tensor)), box, part.content,
            sizeof(float));
  return part;
}

inline void require(const std::optional<Error>& error) {
  if (error) throw std::runtime_error(error->text());
}

inline ShardSummary written(const std::filesystem::path& file, const Snapshot& snapshot) {
  SnapshotSource source(snapshot);
  const Result<ShardSummary> summary = write_shard(file, source);
  if (!summary) throw std::runtime_error(summary.error().text());
  return *summary;
}

// "t" counts up from 100 * step. Writer 0 has its first three columns, writer 1 the others.
inline Manifest write_small_shards(const std::filesystem::path& folder, std::int64_t step) {
  require(make_step_folder(folder, step));
  const std::vector<float> numbers = numbers_from(100.0f * static_cast<float>(step), 24);
  Manifest manifest;
  manifest.state.step = step;
  for (int writer = 0; writer < 2; ++writer)
    manifest.shards.push_back(
        written(step_folder(folder, step) / shard_name(writer),
                {piece_of("t", small_shape, {{0, 3 * writer}, {4, 3}}, numbers)}));
  return manifest;
}

inline void write_small_checkpoint(const std::filesystem::path& folder, std::int64_t step) {
  require(complete_step(folder, write_small_shards(folder, step)));
}

// All of "t", or what went wrong.
inline Result<std::vector<float>> read_small(Checkpoint& checkpoint) {
  std::vector<float> numbers(24);
  const std::optional<Error> error =
      checkpoint.read({"t", StoredType::fp32, small_shape, whole(small_shape)},
                      std::as_writable_bytes(std::span(numbers)));
  if (error) return *error;
  return numbers;
}

// Flips one bit of a file in place.
inline void damage(const std::filesystem::path& file, std::streamoff at) {
  std::FILE* const stream = std::fopen(file.c_str(), "r+b");
  if (stream == nullptr) throw std::runtime_error("cannot open " + file.string());
  std::fseek(stream, static_cast<long>(at), SEEK_SET);
  const int byte = std::fgetc(stream);
  std::fseek(stream, static_cast<long>(at), SEEK_SET);
  std::fputc(byte ^ 1, stream);
  std::fclose(stream);
}

}  // namespace quintet
