#include "sim/packing/packing.h"

#include <algorithm>
#include <cstdint>
#include <streambuf>
#include <utility>
#include <vector>

#include "sim/base/quantity_text.h"
#include "sim/packing/packer.h"

namespace quintet {

namespace {

std::unique_ptr<Packer> packer_of(Packing packing) {
  switch (packing) {
    case Packing::none:
      return nullptr;
    case Packing::gzip:
      return gzip_packer();
    case Packing::zstd:
      return zstd_packer();
  }
  return nullptr;
}

Unpacked unpack(Packing packing, std::string_view bytes, std::size_t most, std::string& text) {
  switch (packing) {
    case Packing::none:
      text = bytes.substr(0, most);
      return bytes.size() <= most ? Unpacked::whole : Unpacked::too_long;
    case Packing::gzip:
      return gunzip(bytes, most, text);
    case Packing::zstd:
      return unzstd(bytes, most, text);
  }
  return Unpacked::damaged;
}

}  // namespace

Packing packing_of(const std::filesystem::path& file) {
  if (file.extension() == ".gz") return Packing::gzip;
  return file.extension() == ".zst" ? Packing::zstd : Packing::none;
}

Packing packing_of(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return Packing::gzip;
  return beginning.starts_with("\x28\xb5\x2f\xfd") ? Packing::zstd : Packing::none;
}

std::unique_ptr<Unpacker> unpacker_of(Packing packing) {
  switch (packing) {
    case Packing::none:
      return nullptr;
    case Packing::gzip:
      return gzip_unpacker();
    case Packing::zstd:
      return zstd_unpacker();
  }
  return nullptr;
}

// Collects text until it is worth packing.
class PackedStream::Buffer final : public std::streambuf {
 public:
  Buffer(std::ostream& out, Packing packing)
      : out_(out), packer_(packer_of(packing)), text_(1 << 18) {
    setp(text_.data(), text_.data() + text_.size());
  }

  bool finish() { return flush(true) && out_.flush(); }

 private:
  int_type overflow(int_type letter) override {
    if (!flush(false)) return traits_type::eof();
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    *pptr() = traits_type::to_char_type(letter);
    pbump(1);
    return letter;
  }

  bool flush(bool end) {
    const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    std::string packed;
    if (!packer_)
      packed = text;
    else if (!packer_->pack(text, end, packed))
      return false;
    setp(text_.data(), text_.data() + text_.size());
    return static_cast<bool>(
        out_.write(packed.data(), static_cast<std::streamsize>(packed.size())));
  }

  std::ostream& out_;
  std::unique_ptr<Packer> packer_;
  std::vector<char> text_;
};

PackedStream::PackedStream(std::ostream& packed_into, Packing packing)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(packed_into, packing)) {
  rdbuf(buffer_.get());
}

PackedStream::~PackedStream() = default;

void PackedStream::finish() {
  if (!buffer_->finish()) setstate(std::ios::badbit);
}

Result<std::string> unpacked(std::string bytes, const std::string& where, Bytes limit) {
  const Packing packing = packing_of(std::string_view(bytes));
  if (packing == Packing::none) return bytes;
  std::string content;
  switch (unpack(packing, bytes, static_cast<std::size_t>(limit.value), content)) {
    case Unpacked::whole:
      return content;
    case Unpacked::cut_off:
      return Error{where, "is cut off: what it packs does not end"};
    case Unpacked::too_long:
      return Error{where, "is longer than the accepted " + text(limit) + " when unpacked"};
    case Unpacked::damaged:
      break;
  }
  return Error{where, "is damaged: it begins as packed text and cannot be unpacked"};
}

std::string unpacked_beginning(const std::string& bytes, std::size_t most) {
  std::string content;
  unpack(packing_of(std::string_view(bytes)), bytes, most, content);
  return content;
}

}  // namespace quintet
