// A device's memory in a few large pieces, given out in blocks without ever asking the device
// again: a block may be given back while queued work still uses it, and whoever gets it next is
// queued behind that work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "engine/device/free_blocks.h"
#include "engine/device/memory_full.h"
#include "engine/device/streams.h"
#include "kernels/device.h"

namespace quintet::engine {

enum class Reuse { blocks, never };

// Memory of the device that is better than what it gives itself; null where there is none left.
struct MemorySource {
  std::function<void*(std::size_t bytes)> take;
  std::function<void(void* memory)> give_back;
  // Likewise, in which ranks of one `layout` sum what lies at the same place: asked once, by all
  // ranks together, for nothing by those that need none.
  std::function<void*(std::size_t bytes, std::uint64_t layout)> take_shared{};
};

struct ArenaSize {
  std::size_t first = 0;                      // taken at the first use, less what is fixed
  std::size_t more = std::size_t{256} << 20;  // at least, whenever there is too little
  Reuse reuse = Reuse::blocks;                // never: to find what reads before it writes
  MemorySource better{};                      // empty: none
  MemoryOf whose = MemoryOf::device;          // the host's is only what `better` gives
};

class Arena {
 public:
  Arena(kernels::Device& device, Streams& streams, const ArenaSize& size);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Before the first use of the rest: memory that stays as long as the arena (MemorySource); null
  // where there is no better one.
  std::byte* take_fixed(std::size_t bytes, std::uint64_t layout);

  // For the lane that works now. Throws MemoryFull where the device has no more.
  std::byte* take(std::size_t bytes);
  void give_back(std::byte* memory, const Places& used);

  // While held it takes nothing more of the device: who asks for more than there is fails.
  void hold(bool held) { held_ = held; }
  // Takes an eighth more than was ever in use, or as much of that as there is.
  void reserve();

  void enter(std::size_t lane) { lane_ = lane; }
  std::size_t lane() const { return lane_; }
  // The lane's work from now on may use a block.
  void touch(Places& used) const { used[lane_] = streams_.next(lane_); }

  std::size_t in_use() const { return fixed_ + blocks_.in_use(); }
  std::size_t peak() const { return fixed_ + blocks_.peak(); }  // of what was in use
  std::size_t taken() const { return taken_; }                  // from the device
  // What is given out, by address.
  const std::set<std::byte*>& given() const { return given_; }

 private:
  void open();
  bool grow(std::size_t bytes);

  kernels::Device& device_;
  Streams& streams_;
  ArenaSize size_;
  FreeBlocks blocks_;
  struct Piece {
    void* memory = nullptr;
    bool better = false;
  };
  std::vector<Piece> pieces_;
  std::set<std::byte*> given_;
  std::size_t lane_ = 0, taken_ = 0, fixed_ = 0;
  bool opened_ = false, held_ = false;
};

// A block, and what used it, until it is given back.
class Loan {
 public:
  Loan() = default;
  Loan(Arena& arena, std::size_t bytes) : arena_(&arena), memory_(arena.take(bytes)) {}
  Loan(Loan&& other) noexcept { swap(other); }
  Loan& operator=(Loan&& other) noexcept {
    Loan taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Loan() {
    if (arena_ != nullptr) arena_->give_back(memory_, used_);
  }

  explicit operator bool() const { return arena_ != nullptr; }
  // Whoever asks for it is taken to use it in the lane's next work.
  std::byte* memory() const {
    arena_->touch(used_);
    return memory_;
  }
  void swap(Loan& other) noexcept {
    std::swap(arena_, other.arena_);
    std::swap(memory_, other.memory_);
    std::swap(used_, other.used_);
  }

 private:
  Arena* arena_ = nullptr;
  std::byte* memory_ = nullptr;
  mutable Places used_{};
};

}  // namespace quintet::engine
