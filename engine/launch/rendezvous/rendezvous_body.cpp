#include "engine/launch/rendezvous/rendezvous_body.h"

namespace quintet::engine {

void BodyWriter::number(std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    body_.push_back(static_cast<std::byte>((value >> shift) & 0xffu));
}

void BodyWriter::bytes(std::span<const std::byte> bytes) {
  body_.insert(body_.end(), bytes.begin(), bytes.end());
}

void BodyWriter::block(std::span<const std::byte> bytes_of_block) {
  number(static_cast<std::uint32_t>(bytes_of_block.size()));
  bytes(bytes_of_block);
}

void BodyWriter::text(std::string_view text) {
  block(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint32_t BodyReader::number() {
  std::uint32_t value = 0;
  int shift = 0;
  for (const std::byte byte : bytes(4)) {
    value |= std::to_integer<std::uint32_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

std::span<const std::byte> BodyReader::bytes(std::size_t count) {
  if (count > rest_.size()) {
    enough_ = false;
    return {};
  }
  const std::span<const std::byte> taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::span<const std::byte> BodyReader::block() {
  const std::uint32_t length = number();
  return bytes(length);
}

std::string BodyReader::text() {
  const std::span<const std::byte> block_of_text = block();
  return {reinterpret_cast<const char*>(block_of_text.data()), block_of_text.size()};
}

}  // namespace quintet::engine
