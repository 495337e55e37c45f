// A file seen as bytes without reading it first. A file that another process shortens while it is
// mapped ends this one with SIGBUS: files here are replaced by rename, never shortened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "sim/base/result.h"

namespace quintet {

class MappedFile {
 public:
  // Regular files only; an empty one has no bytes.
  static Result<MappedFile> open(const std::filesystem::path& file);

  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

// The error every file operation gives: the path on one line, what was tried, and errno in words.
Error file_error(const std::filesystem::path& file, const std::string& tried, int error_number);

}  // namespace quintet
