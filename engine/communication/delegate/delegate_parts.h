// What a delegate is made of: pinned memory, streams for copies, and what it has asked of the
// backend behind it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "engine/communication/ticket_board.h"
#include "engine/device/event_pool.h"
#include "kernels/device.h"

namespace quintet::engine {

// Pinned memory of the host in blocks, taken again and again: a training step repeats, so that
// after the first nothing is allocated (which would hold up the whole GPU).
class PinnedBlocks {
 public:
  explicit PinnedBlocks(kernels::Device& device) : device_(device) {}
  ~PinnedBlocks();  // no copy may be under way
  PinnedBlocks(const PinnedBlocks&) = delete;
  PinnedBlocks& operator=(const PinnedBlocks&) = delete;

  // Empty where the host has no more.
  std::span<std::byte> take(std::size_t size);
  void give_back(std::span<std::byte> block);

  std::size_t allocated() const { return allocated_; }  // bytes, ever

 private:
  struct Block {
    std::byte* memory = nullptr;
    std::size_t size = 0;
    bool taken = false;
  };

  kernels::Device& device_;
  std::vector<Block> blocks_;
  std::size_t allocated_ = 0;
};

struct DelegateOptions {
  // Messages are cut into chunks, so that the copy of one goes on beside the network's work on the
  // one before. The same on both sides.
  std::size_t chunk = std::size_t{4} << 20;
  // Each route has so many in each direction; what is sent when all are in use waits.
  int chunks_under_way = 4;
  // How long the device may take to come to a copy, the step before it included.
  std::chrono::milliseconds within{60000};
};

// A route's pinned memory in chunks: what is under way on it at once.
class ChunkRing {
 public:
  ChunkRing(std::span<std::byte> memory, const DelegateOptions& options) : chunk_(options.chunk) {
    for (int i = 0; i < options.chunks_under_way; ++i)
      free_.push_back(memory.data() + static_cast<std::size_t>(i) * chunk_);
  }

  bool full() const { return free_.empty(); }
  std::byte* take() {
    std::byte* const chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  void give_back(std::byte* chunk) { free_.push_back(chunk); }

  // An empty message is a chunk too.
  std::size_t chunks_of(std::size_t size) const {
    return std::max<std::size_t>(1, (size + chunk_ - 1) / chunk_);
  }
  std::size_t offset(std::size_t which) const { return which * chunk_; }
  std::size_t size(std::size_t which, std::size_t of_message) const {
    return std::min(chunk_, of_message - offset(which));
  }

 private:
  std::size_t chunk_;
  std::vector<std::byte*> free_;
};

// What a delegate has asked of the backend behind it, until that is over.
class InnerTickets {
 public:
  explicit InnerTickets(CommunicationBackend& inner) : inner_(inner) {}

  CommunicationBackend& backend() { return inner_; }
  Ticket add(Ticket ticket);
  bool any() const { return !under_way_.empty(); }

  // Notes which are over. With patience there must be one under way.
  std::optional<Error> ask(Patience patience);
  // Once, where it is over.
  std::optional<Completion> take(Ticket ticket);

 private:
  CommunicationBackend& inner_;
  std::vector<Ticket> under_way_;
  std::map<std::uint64_t, Completion> over_;
};

// These belong to one DelegatedBackend, which owns them.
struct DelegateParts {
  kernels::Device& device;
  EventPool& events;
  PinnedBlocks& pinned;
  InnerTickets& inner;
  OverTickets& over;
};

// Streams of the delegate's own, a pair for each stream of the caller: a copy that has to wait for
// the work of one does not hold up the copies of another.
struct CopyStreams {
  kernels::Stream out, in;  // device to host, host to device
};

}  // namespace quintet::engine
