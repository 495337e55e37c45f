#include "sim/packing/byte_source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/packing/packer.h"
#include "sim/packing/packing.h"

namespace quintet {

struct ByteSource::Inside {
  std::string where;
  std::ifstream file;
  std::size_t size = 0, taken = 0;
  std::vector<char> block = std::vector<char>(1 << 18);
  std::string_view packed;  // of the block: not yet unpacked
  bool file_ended = false, ended = false;
  std::unique_ptr<Unpacker> unpacker;  // null: the file is as it is

  bool fill() {
    if (file_ended) return false;
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    taken += count;
    packed = {block.data(), count};
    file_ended = count < block.size();
    return count > 0;
  }
  Result<std::size_t> unpack(std::span<char> into);
  Result<std::size_t> copy(std::span<char> into);
};

ByteSource::ByteSource(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

std::size_t ByteSource::taken() const {
  return inside_->taken;
}
std::size_t ByteSource::size() const {
  return inside_->size;
}

Result<ByteSource> ByteSource::open(const std::filesystem::path& file) {
  auto inside = std::make_unique<Inside>();
  inside->where = file.string();
  std::error_code wrong;
  if (std::filesystem::is_directory(file, wrong))
    return Error{inside->where, "is a directory, expected a file"};
  errno = 0;
  inside->file.open(file, std::ios::binary);
  if (!inside->file)
    return Error{inside->where, std::string("cannot be read: ") +
                                    (errno != 0 ? std::strerror(errno) : "the stream failed")};
  const auto size = std::filesystem::file_size(file, wrong);
  inside->size = wrong ? 0 : static_cast<std::size_t>(size);
  inside->fill();
  inside->unpacker = unpacker_of(packing_of(inside->packed));
  return ByteSource(std::move(inside));
}

Result<std::size_t> ByteSource::read(std::span<char> into) {
  return inside_->unpacker ? inside_->unpack(into) : inside_->copy(into);
}

Result<std::size_t> ByteSource::Inside::copy(std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size() && (!packed.empty() || fill())) {
    const std::size_t count = std::min(into.size() - filled, packed.size());
    std::memcpy(into.data() + filled, packed.data(), count);
    packed.remove_prefix(count);
    filled += count;
  }
  return filled;
}

Result<std::size_t> ByteSource::Inside::unpack(std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size() && !ended) {
    if (packed.empty()) fill();
    const Unpacker::Step step = unpacker->unpack(packed, into.subspan(filled));
    packed.remove_prefix(step.taken);
    filled += step.made;
    if (step.damaged)
      return Error{where, "is damaged: it begins as packed text and cannot be unpacked"};
    ended = step.piece_ended && packed.empty() && !fill();
    if (!ended && step.taken == 0 && step.made == 0 && packed.empty() && file_ended)
      return Error{where, "is cut off: what it packs does not end"};
  }
  return filled;
}

}  // namespace quintet
