#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "sim/packing/packing.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& file, const std::string& why) {
  return {file.string(), "cannot write the trace: " + why};
}

// Packed as the name asks under which the user will find it.
std::optional<std::string> failure_of_writing(const fs::path& file, const fs::path& file_named,
                                              const Timeline& timeline) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) {
    PackedStream packed(out, packing_of(file_named));
    write_chrome_trace(packed, timeline);
    packed.finish();
    if (!packed) out.setstate(std::ios::badbit);
  }
  out.close();
  if (out) return std::nullopt;
  return errno != 0 ? std::strerror(errno) : "the stream failed";
}

}  // namespace

Result<std::filesystem::path> write_chrome_trace(const std::filesystem::path& file,
                                                 const Timeline& timeline) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  if (fs::is_directory(status)) return cannot_write(file, "it is a directory, expected a file");
  // A rename would put a file in the place of a device, a pipe or a link.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (const auto why = failure_of_writing(file, file, timeline)) return cannot_write(file, *why);
    return file;
  }
  const fs::path target = fs::exists(status) ? fs::canonical(file, failed) : file;
  fs::path beside = target;
  beside += fmt::format(".part{}", ::getpid());
  if (const auto why = failure_of_writing(beside, file, timeline)) {
    fs::remove(beside, failed);
    return cannot_write(file, *why);
  }
  fs::rename(beside, target, failed);
  if (!failed) return file;
  const std::string why = failed.message();
  fs::remove(beside, failed);
  return cannot_write(file, why);
}

}  // namespace quintet
