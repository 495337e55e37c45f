#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/files/checkpoint/shard_file.h"
#include "engine/files/storage/hash64.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

namespace {

// Else the checksum of the header would keep every change from being read.
void repair_checksum(std::vector<std::byte>& file) {
  if (file.size() < 24) return;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data() + 8, 8);
  length = std::min<std::uint64_t>(length, file.size() - 24);
  std::memcpy(file.data() + 8, &length, 8);
  const std::uint64_t checksum =
      hash64(std::span(file).subspan(24, static_cast<std::size_t>(length)));
  std::memcpy(file.data() + 16, &checksum, 8);
}

void require_pieces_inside(std::span<const std::byte> file) {
  const Result<ShardHeader> header = parse_shard(file, "input");
  fuzz::require_place(header);
  if (!header) return;
  for (const StoredPiece& piece : header->pieces) {
    fuzz::require(lies_in(piece.piece.box, piece.piece.tensor_shape), "a piece is in its tensor");
    fuzz::require(piece.begin + bytes_of(piece.piece) <= file.size(), "a piece is in the file");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  require_pieces_inside(bytes);
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  repair_checksum(file);
  require_pieces_inside(file);
  return 0;
}
