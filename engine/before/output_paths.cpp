#include "engine/before/output_paths.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "engine/before/needed_memory.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;
using Wrong = std::optional<Error>;

std::string where(const Output& output) {
  return fmt::format("{} {}", output.option, output.path.string());
}

// The path itself, or the nearest around it that is there.
fs::path existing(const fs::path& path) {
  std::error_code error;
  fs::path at = fs::absolute(path, error);
  if (!at.has_filename()) at = at.parent_path();  // "folder/"
  while (!fs::exists(at, error) && at != at.parent_path()) at = at.parent_path();
  return at;
}

// A file of a few bytes, made and removed.
Wrong trial(const Output& output, const fs::path& folder) {
  const std::string file = (folder / fmt::format(".quintet-trial-{}", getpid())).string();
  const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0)
    return Error{where(output), fmt::format("nothing can be written to {}: {}; name another place, "
                                            "or get leave to write there",
                                            folder.string(), std::strerror(errno))};
  const bool written = write(made, "trial\n", 6) == 6;
  const int error = errno;
  close(made);
  unlink(file.c_str());
  if (written) return std::nullopt;
  return Error{where(output), fmt::format("nothing can be written to {}: {}; make room there, or "
                                          "name another place",
                                          folder.string(), std::strerror(error))};
}

// A name too long, a link that leads nowhere or to itself.
Wrong no_name(const Output& output) {
  std::error_code error;
  const fs::file_status is = fs::status(output.path, error);
  if (error && is.type() != fs::file_type::not_found && error.value() != ENOTDIR)
    return Error{where(output),
                 fmt::format("cannot be written: {}; name another place", error.message())};
  return std::nullopt;
}

Wrong try_file(const Output& output) {
  std::error_code error;
  const fs::path folder = output.path.has_parent_path() ? output.path.parent_path() : fs::path(".");
  if (fs::is_directory(output.path, error))
    return Error{where(output), "is a directory; name a file"};
  if (!fs::is_directory(folder, error))
    return Error{where(output),
                 fmt::format("there is no such directory; make it (mkdir -p {}) or name another",
                             folder.string())};
  if (Wrong wrong = no_name(output)) return wrong;
  if (!fs::exists(output.path, error)) return trial(output, folder);
  const int opened = open(output.path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0)
    return Error{where(output), fmt::format("is there and cannot be written: {}; name another file",
                                            std::strerror(errno))};
  close(opened);
  return std::nullopt;
}

Wrong try_folder(const Output& output) {
  if (Wrong wrong = no_name(output)) return wrong;
  const fs::path there = existing(output.path);
  std::error_code error;
  if (!fs::is_directory(there, error))
    return Error{
        where(output),
        there == fs::absolute(output.path, error)
            ? "is a file; name a folder"
            : fmt::format("cannot be made: {} is a file; name another place", there.string())};
  return trial(output, there);
}

Wrong too_large(const Output& output) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto most = static_cast<double>(limit.rlim_cur);
  if (output.largest_file.value <= most) return std::nullopt;
  return Error{
      where(output),
      fmt::format("a file of it has up to {}, but this process may write none above {} "
                  "(RLIMIT_FSIZE); raise it (ulimit -f), or leave out {}",
                  binary_text(output.largest_file), binary_text(Bytes{most}), output.option)};
}

// What all outputs on one file system need.
struct Room {
  double wanted = 0, free = 0;
  fs::path at;
};

Wrong too_little_room(const std::vector<Output>& outputs) {
  std::map<dev_t, Room> rooms;
  for (const Output& output : outputs) {
    const fs::path there = existing(output.path);
    struct stat place {};
    struct statvfs system {};
    if (stat(there.c_str(), &place) != 0 || statvfs(there.c_str(), &system) != 0) continue;
    Room& room = rooms[place.st_dev];
    room.free = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
    room.wanted += output.size.value;
    if (room.wanted <= room.free || output.size.value <= 0) continue;
    return Error{where(output),
                 fmt::format("{} are to be written to that disk, and {} are free on it ({}); make "
                             "room there, or name a place on another disk",
                             binary_text(Bytes{room.wanted}), binary_text(Bytes{room.free}),
                             there.string())};
  }
  return std::nullopt;
}

}  // namespace

Wrong unwritable(const std::vector<Output>& outputs) {
  for (const Output& output : outputs) {
    if (Wrong wrong = output.kind == OutputKind::file ? try_file(output) : try_folder(output))
      return wrong;
    if (Wrong wrong = too_large(output)) return wrong;
  }
  return too_little_room(outputs);
}

}  // namespace quintet::engine
