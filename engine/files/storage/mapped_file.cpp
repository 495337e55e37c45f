#include "engine/files/storage/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

// The mapping outlives the descriptor it was made from.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

Error file_error(const std::filesystem::path& file, const std::string& tried, int error_number) {
  return {shown(file.string(), 1000), tried + ": " + std::strerror(error_number)};
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const Descriptor descriptor(file);
  if (descriptor.number() < 0) return file_error(file, "cannot be opened", errno);
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0)
    return file_error(file, "cannot be looked at", errno);
  if (!S_ISREG(status.st_mode))
    return Error{shown(file.string(), 1000), "is not a regular file (a folder, pipe or device)"};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile({});
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.number(), 0);
  if (start == MAP_FAILED) return file_error(file, "cannot be mapped", errno);
  return MappedFile({static_cast<const std::byte*>(start), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace quintet
