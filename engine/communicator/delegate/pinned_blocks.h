// Pinned memory of the host in blocks, taken again and again: a training step repeats, so that
// after the first nothing is allocated (which would hold up the whole GPU).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/device.h"

namespace quintet::engine {

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

}  // namespace quintet::engine
