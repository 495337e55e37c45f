// One complete checkpoint, open for reading by any layout.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/files/checkpoint/manifest.h"
#include "engine/files/checkpoint/shard_file.h"
#include "sim/base/result.h"

namespace quintet {

class Checkpoint {
 public:
  // Headers of all shards are read and fit together: pieces of a tensor agree on its shape and
  // type.
  static Result<Checkpoint> open(const std::filesystem::path& step_folder);

  const Manifest& manifest() const { return manifest_; }
  const std::filesystem::path& folder() const { return folder_; }
  bool holds(const std::string& tensor) const { return places_.contains(tensor); }
  // The whole shape of a tensor that it holds.
  const Shape& shape_of(const std::string& tensor) const {
    return stored(places_.at(tensor).front()).piece.tensor_shape;
  }

  // The part of the tensor that `wanted` names, in row-major order, out of whichever pieces hold
  // it. Checks each piece once before its first use. Refuses what is damaged, missing or of another
  // shape or type, by file and tensor. Several threads may read at once.
  std::optional<Error> read(const Piece& wanted, std::span<std::byte> content);

  // All checksums of all pieces.
  std::optional<Error> check_all() const;

 private:
  struct Place {
    std::size_t shard, piece;
    auto operator<=>(const Place&) const = default;
  };
  struct Check {
    std::once_flag made;
    std::optional<Error> wrong;
  };

  Checkpoint() = default;
  std::optional<Error> add(ShardFile shard);
  std::optional<Error> check_once(const Place& place);
  const StoredPiece& stored(const Place& place) const {
    return shards_[place.shard].pieces()[place.piece];
  }

  std::filesystem::path folder_;
  Manifest manifest_;
  std::vector<ShardFile> shards_;
  std::map<std::string, std::vector<Place>> places_;
  std::map<Place, Check> checks_;  // of all pieces
};

}  // namespace quintet
