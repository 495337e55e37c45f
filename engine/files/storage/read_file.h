// A file read in parts, by several threads at once: only what is asked for comes into memory, and
// what cannot be read is an error with the file's name, not the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "sim/base/result.h"

namespace quintet {

class ReadFile {
 public:
  // Regular files only.
  static Result<ReadFile> open(const std::filesystem::path& file);

  ReadFile(ReadFile&& other) noexcept
      : file_(std::move(other.file_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_) {}
  ReadFile& operator=(ReadFile&&) = delete;
  ~ReadFile();

  std::uint64_t size() const { return size_; }  // when it was opened
  // The bytes from `first` on, all of them.
  std::optional<Error> read(std::uint64_t first, std::span<std::byte> bytes) const;
  // They will be asked for soon: the system begins to read them, as far as it likes, and this does
  // not wait.
  void announce(std::uint64_t first, std::uint64_t bytes) const;

 private:
  ReadFile(std::filesystem::path file, int descriptor, std::uint64_t size)
      : file_(std::move(file)), descriptor_(descriptor), size_(size) {}

  std::filesystem::path file_;
  int descriptor_;
  std::uint64_t size_;
};

}  // namespace quintet
