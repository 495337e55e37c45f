// Frames that arrive at one interface, in memory shared with the kernel (packet(7),
// PACKET_RX_RING): they stay where they are until they are let go, so the ring is also the queue of
// a delay line. Large frames stay whole (PACKET_VNET_HDR).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct RingSize {
  std::size_t frames = 256;
  std::size_t largest = 15360;  // bytes of a frame
};

class PacketRing {
 public:
  // `socket`: AF_PACKET, SOCK_RAW, protocol 0, of the interface's network.
  static Result<PacketRing> open(Descriptor socket, const std::string& interface, RingSize size);
  PacketRing(PacketRing&& other) noexcept;
  ~PacketRing();

  int descriptor() const { return socket_.number(); }

  struct Frame {
    std::int64_t arrived = 0;          // nanoseconds of CLOCK_REALTIME
    std::span<const std::byte> bytes;  // with the header that send() takes
  };
  std::optional<Frame> front() const;
  void let_go();  // of the front

  // To the wire at this interface. Lost when it is full or down, as frames are.
  void send(std::span<const std::byte> bytes) const;

 private:
  PacketRing(Descriptor socket, std::byte* memory, std::size_t frames, std::size_t frame_size)
      : socket_(std::move(socket)), memory_(memory), frames_(frames), frame_size_(frame_size) {}
  std::byte* slot() const { return memory_ + next_ * frame_size_; }

  Descriptor socket_;
  std::byte* memory_ = nullptr;  // mapped
  std::size_t frames_ = 0, frame_size_ = 0, next_ = 0;
};

}  // namespace quintet::engine
