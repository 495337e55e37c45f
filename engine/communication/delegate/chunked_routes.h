// Messages of one payload between a device and another rank, chunk by chunk through pinned memory:
// on their way out they are handed to the network in order as the copies end; on their way in they
// are asked of the network at once, whatever the device is still doing, and copied on as they come.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "engine/communication/delegate/delegate_parts.h"

namespace quintet::engine {

class OutgoingRoute {
 public:
  OutgoingRoute(const DelegateParts& parts, const ChunkRing& ring) : parts_(parts), ring_(ring) {}

  // `copies` comes after what the message is made by.
  void add(const SendWork& work, Ticket ticket, const kernels::Stream& copies);
  // Whatever goes on without waiting.
  void advance();

  bool empty() const { return messages_.empty() && chunks_.empty(); }
  // Something goes on when a copy has ended.
  bool waits_for_copy() const;

 private:
  struct Message {
    SendWork work;
    Ticket ticket;
    kernels::Stream copies;
    std::size_t copied = 0;  // chunks
  };
  enum class Place { within, last };
  struct Chunk {
    SendWork part;  // of pinned memory
    Ticket message;
    Place place = Place::within;
    std::byte* memory = nullptr;
    kernels::StreamEvent copied;
    std::optional<Ticket> sent;
  };

  void copy_next();
  void hand_over();
  void free_sent();

  DelegateParts parts_;
  ChunkRing ring_;
  std::deque<Message> messages_;             // whose copies are not all queued
  std::deque<Chunk> chunks_;                 // in order
  std::optional<Clock::time_point> moving_;  // the message whose chunks are being handed over
};

class IncomingRoute {
 public:
  IncomingRoute(const DelegateParts& parts, const ChunkRing& ring) : parts_(parts), ring_(ring) {}

  // `copies` comes after the last use of the message's memory.
  void add(const ReceiveWork& work, Ticket ticket, const kernels::Stream& copies);
  void advance();

  bool empty() const { return messages_.empty(); }
  bool waits_for_copy() const;

 private:
  struct Message {
    ReceiveWork work;
    kernels::Stream copies;
    std::size_t posted = 0, landed = 0;  // chunks
    std::optional<Clock::time_point> moving;
  };
  struct Chunk {
    std::uint64_t message = 0;  // its ticket
    std::size_t which = 0;
    std::byte* memory = nullptr;
    Ticket received;
    std::optional<kernels::StreamEvent> copied;
  };

  void post_next();
  void land(Chunk& chunk, const Completion& received);
  void free_copied();

  DelegateParts parts_;
  ChunkRing ring_;
  std::map<std::uint64_t, Message> messages_;  // by ticket: in the order they were asked for
  std::deque<std::uint64_t> to_post_;          // likewise
  std::vector<Chunk> chunks_;
};

}  // namespace quintet::engine
