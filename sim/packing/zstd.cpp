#include <zstd.h>

#include <algorithm>
#include <vector>

#include "sim/packing/packer.h"

namespace quintet {

namespace {

struct EndPacking {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct EndUnpacking {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdPacker final : public Packer {
 public:
  bool pack(std::string_view text, bool end, std::string& packed) override {
    if (!context_) return false;
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    const ZSTD_EndDirective directive = end ? ZSTD_e_end : ZSTD_e_continue;
    for (std::size_t left = 1; left > 0 || in.pos < in.size;) {
      ZSTD_outBuffer out{block_.data(), block_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left)) return false;
      packed.append(block_.data(), out.pos);
      if (!end && in.pos == in.size) break;
    }
    return true;
  }

 private:
  std::unique_ptr<ZSTD_CCtx, EndPacking> context_{ZSTD_createCCtx()};
  std::vector<char> block_ = std::vector<char>(ZSTD_CStreamOutSize());
};

class ZstdUnpacker final : public Unpacker {
 public:
  Step unpack(std::string_view packed, std::span<char> into) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t wanted = ZSTD_decompressStream(context_.get(), &out, &in);
    return {in.pos, out.pos, wanted == 0, ZSTD_isError(wanted) != 0};
  }

 private:
  std::unique_ptr<ZSTD_DCtx, EndUnpacking> context_{ZSTD_createDCtx()};
};

}  // namespace

std::unique_ptr<Unpacker> zstd_unpacker() {
  return std::make_unique<ZstdUnpacker>();
}

std::unique_ptr<Packer> zstd_packer() {
  return std::make_unique<ZstdPacker>();
}

Unpacked unzstd(std::string_view bytes, std::size_t most, std::string& text) {
  const std::unique_ptr<ZSTD_DCtx, EndUnpacking> context{ZSTD_createDCtx()};
  std::vector<char> block(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (true) {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    const std::size_t wanted = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(wanted)) return Unpacked::damaged;
    const std::size_t room = most - text.size();
    text.append(block.data(), std::min(out.pos, room));
    if (out.pos > room || (out.pos == room && in.pos < in.size)) return Unpacked::too_long;
    if (in.pos == in.size && wanted == 0) return Unpacked::whole;
    if (in.pos == in.size && out.pos < out.size) return Unpacked::cut_off;
  }
}

}  // namespace quintet
