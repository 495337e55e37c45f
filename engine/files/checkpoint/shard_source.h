// What a shard is made of: its pieces, and their elements when each is written.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/files/checkpoint/piece.h"
#include "sim/base/result.h"

namespace quintet {

class ShardSource {
 public:
  ShardSource() = default;
  ShardSource(const ShardSource&) = delete;
  ShardSource& operator=(const ShardSource&) = delete;
  virtual ~ShardSource() = default;

  // Asked first, once, by the thread that writes: copies what others go on to change.
  virtual std::optional<Error> take_copies() = 0;
  virtual const std::vector<Piece>& pieces() const = 0;
  // The elements of a piece in row-major order.
  virtual void put_content(std::size_t piece, std::span<std::byte> content) = 0;
};

}  // namespace quintet
