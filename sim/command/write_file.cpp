#include "sim/command/write_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace quintet {

std::optional<Error> write_file(const std::filesystem::path& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return std::nullopt;
  const char* const why = errno != 0 ? std::strerror(errno) : "the stream failed";
  return Error{file.string(), std::string("cannot be written: ") + why};
}

std::optional<Error> no_place(const std::string& option, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string where = option + " " + file.string();
  if (!fs::is_directory(folder, ignored))
    return Error{where, "there is no such directory: " + folder.string()};
  if (fs::is_directory(file, ignored))
    return Error{where, "is a directory, expected a file to write"};
  return std::nullopt;
}

}  // namespace quintet
