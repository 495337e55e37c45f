// A route's pinned memory in chunks: what is under way on it at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace quintet::engine {

struct DelegateOptions {
  // Messages are cut into chunks, so that the copy of one goes on beside the network's work on the
  // one before. The same on both sides.
  std::size_t chunk = std::size_t{4} << 20;
  // Of each route and direction; what is sent when all are in use waits.
  int chunks_under_way = 4;
};

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

}  // namespace quintet::engine
