// What a checkpoint is made of: parts of named tensors, each with its checksum. The library knows
// tensors by name and place only; that makes any layout loadable into any other.
//
//   FOLDER/step-00000042/rank-00003.shard   one file per writer: header with its pieces, then data
//   FOLDER/step-00000042/manifest.json      written last: which shards make the step complete
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/files/storage/box.h"
#include "engine/files/storage/stored_type.h"
#include "sim/base/result.h"

namespace quintet {

// A checkpoint keeps up to seven tensors of one shape for each parameter; the last three are a
// replicator's (engine/replication).
enum class StateKind {
  weight,
  master_weight,
  first_moment,
  second_moment,
  replica_momentum,
  outer_anchor,
  outer_velocity
};

// "first_moment/layers.3.mlp.up.weight"
std::string state_name(StateKind kind, const std::string& tensor);
// What a replica has otherwise than the first one: "replica-2/first_moment/...". The first's has
// the plain name, which every layout knows.
std::string name_of_replica(int replica, const std::string& name);

struct Piece {
  std::string tensor;
  StoredType type = StoredType::fp32;
  Shape tensor_shape;
  Box box;
  bool operator==(const Piece&) const = default;
};

// What its elements take as they are stored.
std::size_t bytes_of(const Piece& piece);

// A piece in a shard file.
struct StoredPiece {
  Piece piece;
  std::size_t begin = 0;       // byte of the file
  std::uint64_t checksum = 0;  // XXH64 of its bytes
  bool operator==(const StoredPiece&) const = default;
};

// The header of a shard: its pieces, in JSON.
std::string piece_list_text(const std::vector<StoredPiece>& pieces);
// Every piece lies in its tensor; whether it lies in the file is for the caller to see.
Result<std::vector<StoredPiece>> parse_piece_list(const std::string& text,
                                                  const std::string& where);

}  // namespace quintet
