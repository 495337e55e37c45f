// One way of packing behind an interface, piece by piece: a row each in packing.cpp.
#pragma once

#include <cstddef>
#include <memory>
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

std::unique_ptr<Packer> gzip_packer();
std::unique_ptr<Packer> zstd_packer();
// Several pieces one behind another are one text, as gzip and zstd have it.
Unpacked gunzip(std::string_view bytes, std::size_t most, std::string& text);
Unpacked unzstd(std::string_view bytes, std::size_t most, std::string& text);

}  // namespace quintet
