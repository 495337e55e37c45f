// What ranks and the rendezvous say to each other, one frame a message: a 32-bit length, then that
// many bytes, the first of which is the kind. The bytes inside are little-endian numbers, and
// blocks with their length before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"

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
  join_again,     // rank, over another interface: as join, of one that has joined
};

struct Frame {
  FrameKind kind = FrameKind::heartbeat;
  std::vector<std::byte> body;
  bool operator==(const Frame&) const = default;
};

// The frame as it travels: length, kind, body.
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

// The bytes inside a frame.
class BodyWriter {
 public:
  void number(std::uint32_t value);
  void bytes(std::span<const std::byte> bytes);  // as they are
  void block(std::span<const std::byte> bytes);  // with their length
  void text(std::string_view text);              // a block
  const std::vector<std::byte>& body() const { return body_; }

 private:
  std::vector<std::byte> body_;
};

// Reads what a stranger may have written: beyond the end everything is zero or empty, and whole()
// is false for good.
class BodyReader {
 public:
  explicit BodyReader(std::span<const std::byte> body) : rest_(body) {}
  std::uint32_t number();
  std::span<const std::byte> bytes(std::size_t count);
  std::span<const std::byte> block();
  std::string text();
  bool whole() const { return enough_ && rest_.empty(); }  // neither too short nor too long

 private:
  std::span<const std::byte> rest_;
  bool enough_ = true;
};

// The bodies that have more than one field.
constexpr std::uint32_t rendezvous_version = 1;

struct JoinMessage {
  std::uint32_t version = rendezvous_version;
  std::uint32_t rank = 0;
  std::uint32_t world = 0;
  Nonce nonce{};
  Proof proof{};
  bool operator==(const JoinMessage&) const = default;
};
std::vector<std::byte> join_body(const JoinMessage& message);
std::optional<JoinMessage> read_join(std::span<const std::byte> body);

// It reads back as nothing where it is cut off, or its rank is not below the world.
std::vector<std::byte> failure_body(const Failure& failure);
std::optional<Failure> read_failure(std::span<const std::byte> body, int world);

// A 32-byte nonce or proof alone in a body.
std::optional<Nonce> read_nonce(std::span<const std::byte> body);

// A block of bytes for each rank of the world. Nothing where the body is shorter or longer.
std::optional<std::vector<std::vector<std::byte>>> read_members(std::span<const std::byte> body,
                                                                int world);

}  // namespace quintet::engine
