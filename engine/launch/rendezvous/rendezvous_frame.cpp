#include "engine/launch/rendezvous/rendezvous_frame.h"

#include "engine/launch/rendezvous/rendezvous_body.h"

namespace quintet::engine {

namespace {

constexpr std::size_t length_bytes = 4;

bool known(std::byte kind) {
  return kind >= std::byte{static_cast<std::uint8_t>(FrameKind::challenge)} &&
         kind <= std::byte{static_cast<std::uint8_t>(FrameKind::everyone_left)};
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

}  // namespace quintet::engine
