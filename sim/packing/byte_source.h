// A file's bytes from its beginning to its end in pieces, unpacked where gzip or zstd packed it:
// for files that are larger than what memory they may take.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "sim/base/result.h"

namespace quintet {

class ByteSource {
 public:
  // Fails where the file cannot be read.
  static Result<ByteSource> open(const std::filesystem::path& file);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // Fills `into` from its front; less than all of it at the end only, then nothing. Fails where
  // what packs it is damaged or cut off.
  Result<std::size_t> read(std::span<char> into);

  // How much of the file, as it lies on the disk, has been taken.
  std::size_t taken() const;
  std::size_t size() const;

 private:
  struct Inside;
  explicit ByteSource(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace quintet
