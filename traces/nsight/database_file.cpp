#include "traces/nsight/database_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace quintet::nsight {
namespace {

constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::size_t header = 100;

std::size_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::size_t number = 0;
  for (std::size_t i = at; i < at + count; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace

// By the header, as www.sqlite.org/fileformat.html has it: size of a page at 16 (1: 64 KiB), number
// of pages at 28, which holds where the change counter at 24 is the one at 92.
std::optional<Error> not_a_database(const std::string& where, std::string_view beginning,
                                    std::size_t size) {
  if (!beginning.starts_with(magic))
    return Error{where,
                 "is no SQLite database as it lies there; expected what `nsys export --type "
                 "sqlite` writes, unpacked"};
  const std::size_t page = beginning.size() < header ? 0 : big_endian(beginning, 16, 2);
  const std::size_t expected =
      (page == 1 ? 65536 : page) * (page == 0 ? 0 : big_endian(beginning, 28, 4));
  const bool counted = page != 0 && big_endian(beginning, 24, 4) == big_endian(beginning, 92, 4);
  if (beginning.size() < header || (counted && size < expected))
    return Error{where, fmt::format("is cut off: it has {} bytes of {}; copy or export it again",
                                    size, std::max(expected, header))};
  return std::nullopt;
}

Result<std::size_t> size_of_database(const std::filesystem::path& file) {
  std::error_code wrong;
  if (std::filesystem::is_directory(file, wrong))
    return Error{file.string(), "is a directory, expected a file"};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string(), std::string("cannot be read: ") + std::strerror(errno)};
  std::string beginning(header, '\0');
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(stream.gcount()));
  const auto size = std::filesystem::file_size(file, wrong);
  if (wrong) return Error{file.string(), "cannot be read: " + wrong.message()};
  if (auto error = not_a_database(file.string(), beginning, size)) return *error;
  return static_cast<std::size_t>(size);
}

}  // namespace quintet::nsight
