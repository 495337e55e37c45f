// Messages of one payload to one rank, on their way out of a device: copied chunk by chunk into
// pinned memory, handed to the network in order as the copies end.
#pragma once

#include <deque>
#include <optional>

#include "engine/communicator/delegate/chunk_ring.h"
#include "engine/communicator/delegate/tools.h"

namespace quintet::engine {

class OutgoingRoute {
 public:
  OutgoingRoute(const DelegateTools& tools, const ChunkRing& ring) : tools_(tools), ring_(ring) {}

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
    kernels::Event copied;
    std::optional<Ticket> sent;
  };

  void copy_next();
  void hand_over();
  void free_sent();

  DelegateTools tools_;
  ChunkRing ring_;
  std::deque<Message> messages_;             // whose copies are not all queued
  std::deque<Chunk> chunks_;                 // in order
  std::optional<Clock::time_point> moving_;  // the message whose chunks are being handed over
};

}  // namespace quintet::engine
