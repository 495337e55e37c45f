// The processor's own memory in a few large pieces, given out in blocks: what comes and goes in
// every step costs no page faults after the first, and lies on huge pages where the system has them
// (Linux: madvise(2), MADV_HUGEPAGE), which weights of hundreds of megabytes want.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/device/free_blocks.h"

namespace quintet::engine {

class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // Anything lies there. Throws std::bad_alloc.
  std::byte* take(std::size_t bytes);
  void give_back(std::byte* memory);

 private:
  void grow(std::size_t bytes);

  struct Piece {
    void* memory;
    std::size_t bytes;
  };
  FreeBlocks blocks_;
  std::vector<Piece> pieces_;
};

// A block until it is given back.
class HostLoan {
 public:
  HostLoan() = default;
  HostLoan(HostMemory& from, std::size_t bytes) : from_(&from), memory_(from.take(bytes)) {}
  HostLoan(HostLoan&& other) noexcept { swap(other); }
  HostLoan& operator=(HostLoan&& other) noexcept {
    HostLoan taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~HostLoan() {
    if (from_ != nullptr) from_->give_back(memory_);
  }

  explicit operator bool() const { return from_ != nullptr; }
  std::byte* memory() const { return memory_; }
  void swap(HostLoan& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(memory_, other.memory_);
  }

 private:
  HostMemory* from_ = nullptr;
  std::byte* memory_ = nullptr;
};

}  // namespace quintet::engine
