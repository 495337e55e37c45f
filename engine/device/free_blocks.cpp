#include "engine/device/free_blocks.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace quintet::engine {

void FreeBlocks::add(std::byte* memory, std::size_t bytes) {
  assert(bytes % granule == 0);
  blocks_[memory] = {bytes, true, true, {}};
  free_.insert({bytes, memory});
}

std::optional<FreeBlocks::Taken> FreeBlocks::take(std::size_t bytes, const Welcome& welcome) {
  const std::size_t size = rounded(bytes);
  auto fitting = free_.lower_bound({size, nullptr});
  if (fitting == free_.end()) {
    join_all();
    fitting = free_.lower_bound({size, nullptr});
  }
  if (fitting == free_.end()) return std::nullopt;
  const auto found = std::find_if(fitting, free_.end(), [&](const auto& each) {
    return welcome(blocks_.at(each.second).used);
  });
  return take_from(found == free_.end() ? fitting : found, size);
}

FreeBlocks::Taken FreeBlocks::take_from(Free::iterator chosen, std::size_t size) {
  std::byte* const memory = chosen->second;
  free_.erase(chosen);
  Block& block = blocks_.at(memory);
  block.free = false;
  if (block.size > size) {
    blocks_[memory + size] = {block.size - size, true, false, block.used};
    free_.insert({block.size - size, memory + size});
    block.size = size;
  }
  in_use_ += size;
  peak_ = std::max(peak_, in_use_);
  return {memory, std::exchange(block.used, {})};
}

void FreeBlocks::give_back(std::byte* memory, const Places& used, const Welcome& welcome) {
  const Place block = blocks_.find(memory);
  assert(block != blocks_.end() && !block->second.free);
  in_use_ -= block->second.size;
  block->second.free = true;
  block->second.used = used;
  free_.insert({block->second.size, memory});
  const auto alike = [&](Place left, Place right) {
    return adjoin(left, right) && welcome(left->second.used) == welcome(right->second.used);
  };
  if (const Place next = std::next(block); next != blocks_.end() && alike(block, next))
    join(block, next);
  if (block == blocks_.begin()) return;
  if (const Place before = std::prev(block); alike(before, block)) join(before, block);
}

void FreeBlocks::join_all() {
  for (Place block = blocks_.begin(); block != blocks_.end();) {
    const Place next = std::next(block);
    if (next != blocks_.end() && adjoin(block, next))
      join(block, next);
    else
      block = next;
  }
}

bool FreeBlocks::adjoin(Place block, Place next) {
  return block->second.free && next->second.free && !next->second.begins;
}

void FreeBlocks::join(Place block, Place next) {
  free_.erase({block->second.size, block->first});
  free_.erase({next->second.size, next->first});
  block->second.size += next->second.size;
  include(block->second.used, next->second.used);
  free_.insert({block->second.size, block->first});
  blocks_.erase(next);
}

}  // namespace quintet::engine
