// One writer's share of a checkpoint: 8 bytes "QNTTSHRD", 8 bytes of header length, 8 bytes of the
// header's XXH64, the header in JSON, and from the next multiple of 64 on the pieces, each on a
// multiple of 64, in the header's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/files/checkpoint/piece.h"
#include "engine/files/checkpoint/shard_source.h"
#include "engine/files/storage/mapped_file.h"
#include "sim/base/result.h"

namespace quintet {

// What a manifest has to know of a shard.
struct ShardSummary {
  std::string file;  // its name in the step's folder
  std::uint64_t size = 0;
  std::uint64_t header_checksum = 0;  // the header holds the checksums of the pieces
  bool operator==(const ShardSummary&) const = default;
};

// One piece's elements at a time are in memory. Durable when this returns without an
// error; with one, nothing is left behind.
Result<ShardSummary> write_shard(const std::filesystem::path& file, ShardSource& source);

// The header of a whole file, with every piece inside the file. Never throws. Checksums of pieces
// are left to check_piece.
struct ShardHeader {
  std::vector<StoredPiece> pieces;
  std::uint64_t checksum = 0;
  bool operator==(const ShardHeader&) const = default;
};
Result<ShardHeader> parse_shard(std::span<const std::byte> file, const std::string& where);

class ShardFile {
 public:
  // Refuses a file that is not the one the summary tells of.
  static Result<ShardFile> open(const std::filesystem::path& folder, const ShardSummary& summary);

  const std::vector<StoredPiece>& pieces() const { return pieces_; }
  std::span<const std::byte> data(const StoredPiece& piece) const {
    return file_.bytes().subspan(piece.begin, bytes_of(piece.piece));
  }
  // Names file and tensor when the bytes are not those that were written.
  std::optional<Error> check(const StoredPiece& piece) const;

 private:
  ShardFile(MappedFile file, std::vector<StoredPiece> pieces, std::string name)
      : file_(std::move(file)), pieces_(std::move(pieces)), name_(std::move(name)) {}

  MappedFile file_;
  std::vector<StoredPiece> pieces_;
  std::string name_;
};

std::string shard_name(int writer);  // "rank-00003.shard"

}  // namespace quintet
