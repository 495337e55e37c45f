// What ranks and the rendezvous say to each other, one frame a message: a 32-bit length, then that
// many bytes, the first of which is the kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace quintet::engine {

enum class FrameKind : std::uint8_t {
  challenge = 1,  // server: nonce
  join,           // rank: version, rank, world, nonce, proof
  welcome,        // server: proof
  refused,        // server: reason
  address,        // rank: its worker's address
  members,        // server: everyone's, by rank
  heartbeat,      // both
  suspect,        // rank: the connection to that rank broke; rank, cause
  late,           // rank: waited in vain for that rank; rank, cause
  abort,          // rank: cause. server: rank, cause
  leave,          // rank: has nothing left to send or receive
  everyone_left,  // server
};

struct Frame {
  FrameKind kind = FrameKind::heartbeat;
  std::vector<std::byte> body;
  bool operator==(const Frame&) const = default;
};

std::vector<std::byte> encoded(FrameKind kind, std::span<const std::byte> body);

// Cuts a stream into frames. Never holds more than `limit` bytes of a frame that is not whole.
class FrameReader {
 public:
  explicit FrameReader(std::size_t limit) : limit_(limit) {}
  void allow(std::size_t limit) { limit_ = limit; }
  void push(std::span<const std::byte> bytes);
  std::optional<Frame> next();
  bool broken() const { return broken_; }  // an impossible length or kind: no frame can follow

 private:
  std::size_t limit_;
  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;
  bool broken_ = false;
};

}  // namespace quintet::engine
