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

}  // namespace quintet
