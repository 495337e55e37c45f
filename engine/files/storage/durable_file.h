// Writing so that a reader, or a machine that lost power, sees the old file or the whole new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "sim/base/result.h"

namespace quintet {

// Writes beside the file ("name.part"), and takes its place when finished.
class DurableFile {
 public:
  static Result<DurableFile> create(const std::filesystem::path& file);

  DurableFile(DurableFile&& other) noexcept;
  DurableFile& operator=(DurableFile&&) = delete;
  // Unfinished: removes what was written.
  ~DurableFile();

  std::optional<Error> write(std::span<const std::byte> bytes);
  std::optional<Error> write(std::string_view text);
  // Over the file's beginning, which was written before.
  std::optional<Error> write_again(std::string_view text);
  // Onto the disk, then into place, then the folder's entry onto the disk.
  std::optional<Error> finish();

 private:
  DurableFile(std::filesystem::path file, int descriptor);

  std::filesystem::path file_;
  int descriptor_;
};

// Where a file is written until it is whole: "FILE.part".
std::filesystem::path unfinished_name(const std::filesystem::path& file);
std::optional<Error> sync_folder(const std::filesystem::path& folder);

}  // namespace quintet
