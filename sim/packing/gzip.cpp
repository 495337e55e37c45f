#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sim/packing/packer.h"

namespace quintet {

namespace {

constexpr int gzip_format = 15 + 16;  // the widest window, a gzip header
constexpr std::size_t block = 1 << 16;
constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max() / 2;

// zlib reads through pointers that are not const and writes nothing there.
Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

class GzipPacker final : public Packer {
 public:
  GzipPacker() {
    good_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, 8,
                         Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipPacker() override { deflateEnd(&stream_); }

  bool pack(std::string_view text, bool end, std::string& packed) override {
    do {
      const std::string_view piece = text.substr(0, most_at_once);
      text.remove_prefix(piece.size());
      deflate_piece(piece, end && text.empty() ? Z_FINISH : Z_NO_FLUSH, packed);
    } while (good_ && !text.empty());
    return good_;
  }

 private:
  void deflate_piece(std::string_view piece, int flush, std::string& packed) {
    std::array<Bytef, block> out;
    stream_.next_in = bytes_of(piece);
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = out.data();
      stream_.avail_out = static_cast<uInt>(out.size());
      good_ = good_ && deflate(&stream_, flush) != Z_STREAM_ERROR;
      packed.append(reinterpret_cast<const char*>(out.data()), out.size() - stream_.avail_out);
    } while (good_ && stream_.avail_out == 0);
  }

  z_stream stream_{};
  bool good_ = false;
};

struct Inflating {
  z_stream stream{};
  Inflating() { inflateInit2(&stream, gzip_format); }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
  ~Inflating() { inflateEnd(&stream); }
};

}  // namespace

std::unique_ptr<Packer> gzip_packer() {
  return std::make_unique<GzipPacker>();
}

namespace {

class GzipUnpacker final : public Unpacker {
 public:
  Step unpack(std::string_view packed, std::span<char> into) override {
    if (ended_ && !packed.empty()) {
      ended_ = false;
      if (inflateReset(&inflating_.stream) != Z_OK) return {.damaged = true};
    }
    z_stream& stream = inflating_.stream;
    packed = packed.substr(0, most_at_once);
    into = into.first(std::min(into.size(), most_at_once));
    stream.next_in = bytes_of(packed);
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(into.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    return {packed.size() - stream.avail_in, into.size() - stream.avail_out, ended_,
            !ended_ && result != Z_OK && result != Z_BUF_ERROR};
  }

 private:
  Inflating inflating_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> gzip_unpacker() {
  return std::make_unique<GzipUnpacker>();
}

Unpacked gunzip(std::string_view bytes, std::size_t most, std::string& text) {
  Inflating inflating;
  z_stream& stream = inflating.stream;
  std::array<Bytef, block> out;
  while (true) {
    const std::string_view piece = bytes.substr(0, most_at_once);
    stream.next_in = bytes_of(piece);
    stream.avail_in = static_cast<uInt>(piece.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(piece.size() - stream.avail_in);
    const std::size_t made = out.size() - stream.avail_out;
    text.append(reinterpret_cast<const char*>(out.data()), std::min(made, most - text.size()));
    if (made > 0 && text.size() == most && (result != Z_STREAM_END || !bytes.empty()))
      return Unpacked::too_long;
    if (result == Z_STREAM_END) {
      if (bytes.empty()) return Unpacked::whole;
      if (inflateReset(&stream) != Z_OK) return Unpacked::damaged;
    } else if (result == Z_BUF_ERROR || (result == Z_OK && bytes.empty() && made == 0)) {
      return Unpacked::cut_off;
    } else if (result != Z_OK) {
      return Unpacked::damaged;
    }
  }
}

}  // namespace quintet
