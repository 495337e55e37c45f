// Messages of one payload from one rank, on their way into a device: asked of the network at once
// and received in pinned memory, whatever the device is still doing; copied on chunk by chunk as
// they come.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "engine/communicator/delegate/chunk_ring.h"
#include "engine/communicator/delegate/tools.h"

namespace quintet::engine {

class IncomingRoute {
 public:
  IncomingRoute(const DelegateTools& tools, const ChunkRing& ring) : tools_(tools), ring_(ring) {}

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
    std::optional<kernels::Event> copied;
  };

  void post_next();
  void land(Chunk& chunk, const Completion& received);
  void free_copied();

  DelegateTools tools_;
  ChunkRing ring_;
  std::map<std::uint64_t, Message> messages_;  // by ticket: in the order they were asked for
  std::deque<std::uint64_t> to_post_;          // likewise
  std::vector<Chunk> chunks_;
};

}  // namespace quintet::engine
