#include "engine/files/storage/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/files/storage/mapped_file.h"
#include "sim/base/shown_text.h"

namespace quintet {

// The system's own guesses of what comes next are wrong here: rows of a matrix are read in parts.
Result<ReadFile> ReadFile::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return file_error(file, "cannot be opened", errno);
  ReadFile opened(file, descriptor, 0);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return file_error(file, "cannot be looked at", errno);
  if (!S_ISREG(status.st_mode))
    return Error{shown(file.string(), 1000), "is not a regular file (a folder, pipe or device)"};
  opened.size_ = static_cast<std::uint64_t>(status.st_size);
  (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
  return opened;
}

ReadFile::~ReadFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Error> ReadFile::read(std::uint64_t first, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(first));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error(file_, fmt::format("cannot be read at byte {}", first), errno);
    if (got == 0)
      return Error{
          shown(file_.string(), 1000),
          fmt::format("ends at byte {}; it had {} bytes when it was opened", first, size_)};
    first += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

void ReadFile::announce(std::uint64_t first, std::uint64_t bytes) const {
  (void)::posix_fadvise(descriptor_, static_cast<off_t>(first), static_cast<off_t>(bytes),
                        POSIX_FADV_WILLNEED);
}

}  // namespace quintet
