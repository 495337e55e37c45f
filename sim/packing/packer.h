// One way of packing behind an interface, piece by piece: a row each in packing.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace quintet {

class Packer {
 public:
  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  virtual ~Packer() = default;
  // Appends to `packed` what is ready; `end`: nothing comes behind. False: it failed.
  virtual bool pack(std::string_view text, bool end, std::string& packed) = 0;
};

enum class Unpacked {
  whole,     // the last piece has ended
  cut_off,   // more bytes are needed
  too_long,  // it would be longer than allowed; what fits is there
  damaged,
};

// One way of unpacking, into memory that is there.
class Unpacker {
 public:
  Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  virtual ~Unpacker() = default;
  struct Step {
    std::size_t taken = 0, made = 0;
    bool piece_ended = false;  // what follows, if anything, is another piece
    bool damaged = false;
  };
  virtual Step unpack(std::string_view packed, std::span<char> into) = 0;
};

std::unique_ptr<Unpacker> gzip_unpacker();
std::unique_ptr<Unpacker> zstd_unpacker();
std::unique_ptr<Packer> gzip_packer();
std::unique_ptr<Packer> zstd_packer();
// Several pieces one behind another are one text, as gzip and zstd have it.
Unpacked gunzip(std::string_view bytes, std::size_t most, std::string& text);
Unpacked unzstd(std::string_view bytes, std::size_t most, std::string& text);

}  // namespace quintet
