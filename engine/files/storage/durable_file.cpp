#include "engine/files/storage/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "engine/files/storage/mapped_file.h"

namespace quintet {
namespace {

// Linux writes at most 2,147,479,552 bytes per call (man 2 write).
constexpr std::size_t most_per_call = std::size_t{1} << 30;

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::filesystem::path unfinished_name(const std::filesystem::path& file) {
  return std::filesystem::path(file).concat(".part");
}

std::optional<Error> sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return file_error(folder, "cannot be opened", errno);
  const int failure = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (failure != 0) return file_error(folder, "cannot be brought onto the disk", failure);
  return std::nullopt;
}

DurableFile::DurableFile(std::filesystem::path file, int descriptor)
    : file_(std::move(file)), descriptor_(descriptor) {}

DurableFile::DurableFile(DurableFile&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  std::error_code ignored;
  std::filesystem::remove(unfinished_name(file_), ignored);
}

Result<DurableFile> DurableFile::create(const std::filesystem::path& file) {
  const std::filesystem::path unfinished = unfinished_name(file);
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return file_error(unfinished, "cannot be created", errno);
  return DurableFile(file, descriptor);
}

std::optional<Error> DurableFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), most_per_call);
    const ssize_t written = ::write(descriptor_, bytes.data(), piece);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error(file_, "cannot be written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

std::optional<Error> DurableFile::write(std::string_view text) {
  return write(std::as_bytes(std::span(text.data(), text.size())));
}

std::optional<Error> DurableFile::write_again(std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    const std::size_t piece = std::min(text.size() - done, most_per_call);
    const ssize_t written =
        ::pwrite(descriptor_, text.data() + done, piece, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error(file_, "cannot be written", errno);
    done += static_cast<std::size_t>(written);
  }
  return std::nullopt;
}

std::optional<Error> DurableFile::finish() {
  if (::fsync(descriptor_) != 0) return file_error(file_, "cannot be brought onto the disk", errno);
  // Network file systems report a full disk as late as here.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int failure = errno;
    ::unlink(unfinished_name(file_).c_str());
    return file_error(file_, "cannot be closed", failure);
  }
  if (std::rename(unfinished_name(file_).c_str(), file_.c_str()) != 0) {
    const int failure = errno;
    ::unlink(unfinished_name(file_).c_str());
    return file_error(file_, "cannot be put into place", failure);
  }
  return sync_folder(folder_of(file_));
}

}  // namespace quintet
