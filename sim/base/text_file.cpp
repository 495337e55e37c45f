#include "sim/base/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

Error file_error(const std::filesystem::path& file, const std::string& cause) {
  // A path may come out of a file, line breaks and all; Linux takes 4,096 bytes at most.
  return {shown(file.string(), 1000), cause};
}

std::optional<Error> reason_not_to_read(const std::filesystem::path& file, Bytes limit) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (status.type() == fs::file_type::not_found) return file_error(file, "there is no such file");
  if (status.type() == fs::file_type::directory)
    return file_error(file, "is a directory, expected a file");
  if (failure) return file_error(file, "cannot be looked at: " + failure.message());
  if (status.type() != fs::file_type::regular)
    return file_error(file, "is not a regular file (a pipe or a device)");
  const auto size = static_cast<double>(fs::file_size(file, failure));
  if (failure) return file_error(file, "cannot be looked at: " + failure.message());
  if (size > limit.value)
    return file_error(file,
                      "is " + text(Bytes{size}) + " long, accepted are at most " + text(limit));
  return std::nullopt;
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& file, Bytes limit) {
  if (const std::optional<Error> reason = reason_not_to_read(file, limit)) return *reason;
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) return file_error(file, std::string("cannot be opened: ") + std::strerror(errno));
  std::string content;
  std::vector<char> block(1 << 16);
  // The file may grow while it is read, and /proc lies about sizes.
  while (in && static_cast<double>(content.size()) <= limit.value) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    content.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return file_error(file, std::string("cannot be read: ") + std::strerror(errno));
  if (static_cast<double>(content.size()) > limit.value)
    return file_error(file, "is longer than the accepted " + text(limit));
  return content;
}

std::optional<Error> other_encoding(const std::string& text, const std::string& where) {
  const bool marked = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
                      text.starts_with(std::string("\0\0\xfe\xff", 4));
  if (!marked) return std::nullopt;
  return Error{where + ": line 1, column 1", "is UTF-16 or UTF-32; save it as UTF-8"};
}

}  // namespace quintet
