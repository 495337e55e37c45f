#include "engine/launch/rendezvous/rendezvous_frames.h"

#include <algorithm>

namespace quintet::engine {

namespace {

constexpr std::size_t length_bytes = 4;

bool known(std::byte kind) {
  return kind >= std::byte{static_cast<std::uint8_t>(FrameKind::challenge)} &&
         kind <= std::byte{static_cast<std::uint8_t>(FrameKind::join_again)};
}

Nonce taken(BodyReader& body) {
  Nonce nonce{};
  const std::span<const std::byte> bytes = body.bytes(nonce.size());
  std::copy(bytes.begin(), bytes.end(), nonce.begin());
  return nonce;
}

}  // namespace

std::vector<std::byte> encoded(FrameKind kind, std::span<const std::byte> body) {
  BodyWriter frame;
  frame.number(static_cast<std::uint32_t>(body.size() + 1));
  const std::byte kind_byte{static_cast<std::uint8_t>(kind)};
  frame.bytes({&kind_byte, 1});
  frame.bytes(body);
  return frame.body();
}

void FrameReader::push(std::span<const std::byte> bytes) {
  if (broken_) return;
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::optional<Frame> FrameReader::next() {
  const std::span<const std::byte> rest = std::span(bytes_).subspan(taken_);
  if (broken_ || rest.size() < length_bytes) return std::nullopt;
  const std::size_t length = BodyReader(rest.first(length_bytes)).number();
  broken_ = length == 0 || length > limit_ || (rest.size() > length_bytes && !known(rest[4]));
  if (broken_ || rest.size() < length_bytes + length) return std::nullopt;
  const std::span<const std::byte> frame = rest.subspan(length_bytes, length);
  taken_ += length_bytes + length;
  return Frame{static_cast<FrameKind>(frame[0]), {frame.begin() + 1, frame.end()}};
}

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

std::vector<std::byte> join_body(const JoinMessage& message) {
  BodyWriter body;
  body.number(message.version);
  body.number(message.rank);
  body.number(message.world);
  body.bytes(message.nonce);
  body.bytes(message.proof);
  return body.body();
}

std::optional<JoinMessage> read_join(std::span<const std::byte> bytes) {
  BodyReader body(bytes);
  JoinMessage message;
  message.version = body.number();
  message.rank = body.number();
  message.world = body.number();
  message.nonce = taken(body);
  message.proof = taken(body);
  if (!body.whole()) return std::nullopt;
  return message;
}

std::vector<std::byte> failure_body(const Failure& failure) {
  BodyWriter body;
  body.number(static_cast<std::uint32_t>(failure.rank.value));
  body.text(failure.cause);
  return body.body();
}

std::optional<Failure> read_failure(std::span<const std::byte> bytes, int world) {
  BodyReader body(bytes);
  const Rank rank{static_cast<std::int32_t>(body.number())};
  const Failure failure{rank, body.text()};
  if (!body.whole() || rank.value >= world) return std::nullopt;
  return failure;
}

std::optional<Nonce> read_nonce(std::span<const std::byte> bytes) {
  BodyReader body(bytes);
  const Nonce nonce = taken(body);
  if (!body.whole()) return std::nullopt;
  return nonce;
}

std::optional<std::vector<std::vector<std::byte>>> read_members(std::span<const std::byte> bytes,
                                                                int world) {
  BodyReader body(bytes);
  std::vector<std::vector<std::byte>> members;
  for (int rank = 0; rank < world; ++rank) {
    const std::span<const std::byte> address = body.block();
    members.emplace_back(address.begin(), address.end());
  }
  if (!body.whole()) return std::nullopt;
  return members;
}

}  // namespace quintet::engine
