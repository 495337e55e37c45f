// Text packed by gzip or zstd, told by the end of a file's name when it is written and by its first
// bytes when it is read. The only room that includes zlib and zstd.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet {

enum class Packing { none, gzip, zstd };

// ".gz" and ".zst"; everything else is as it is.
Packing packing_of(const std::filesystem::path& file);
// By the magic number that such files begin with.
Packing packing_of(std::string_view beginning);

class Unpacker;
std::unique_ptr<Unpacker> unpacker_of(Packing packing);  // null: none

// What is written to it goes packed to `packed_into`, which outlives it; errors, its own and those
// of that, are left in its state. It ends with finish().
class PackedStream final : public std::ostream {
 public:
  PackedStream(std::ostream& packed_into, Packing packing);
  ~PackedStream() override;
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

// What was packed, or the text itself where it was not. The error says what is wrong: damaged, cut
// off, or longer than `limit` when unpacked.
Result<std::string> unpacked(std::string bytes, const std::string& where, Bytes limit);
// As much of the beginning as these first bytes of a file hold, at most `most`.
std::string unpacked_beginning(const std::string& bytes, std::size_t most);

}  // namespace quintet
