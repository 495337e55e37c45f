#include "engine/device/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace quintet::engine {

namespace {

const char* name_of(MemoryOf whose) {
  switch (whose) {
    case MemoryOf::device:
      return "the device's memory";
    case MemoryOf::host:
      return "the host's pinned memory";
  }
  return "";
}

}  // namespace

Arena::Arena(kernels::Device& device, Streams& streams, const ArenaSize& size)
    : device_(device), streams_(streams), size_(size) {}

void Arena::open() {
  opened_ = true;
  const std::size_t rest = size_.first - std::min(size_.first, fixed_);
  if (rest > 0 && !grow(rest))
    throw MemoryFull(fmt::format(
        "the device's memory is full: {} bytes that the step was predicted to need are not left",
        rest));
}

std::byte* Arena::take_fixed(std::size_t bytes, std::uint64_t layout) {
  if (!size_.better.take_shared) return nullptr;
  void* const memory = size_.better.take_shared(bytes, layout);
  if (memory == nullptr) return nullptr;
  pieces_.push_back({memory, true});
  taken_ += bytes;
  fixed_ += bytes;
  return static_cast<std::byte*>(memory);
}

Arena::~Arena() {
  for (const Piece& piece : pieces_)
    if (piece.better)
      size_.better.give_back(piece.memory);
    else
      device_.free(piece.memory);
}

bool Arena::grow(std::size_t bytes) {
  const std::size_t size = FreeBlocks::rounded(bytes);
  void* memory = size_.better.take ? size_.better.take(size) : nullptr;
  const bool better = memory != nullptr;
  if (!better && size_.whose == MemoryOf::device) memory = device_.allocate(size);
  if (memory == nullptr) return false;
  pieces_.push_back({memory, better});
  taken_ += size;
  blocks_.add(static_cast<std::byte*>(memory), size);
  return true;
}

void Arena::reserve() {
  constexpr std::size_t least = std::size_t{1} << 20;
  std::size_t bytes = std::max(size_.more, peak() / 8);
  while (!grow(bytes) && bytes > least) bytes /= 2;
}

std::byte* Arena::take(std::size_t bytes) {
  if (!opened_) open();
  const FreeBlocks::Welcome welcome = [this](const Places& used) {
    return streams_.ordered(lane_, used);
  };
  std::optional<FreeBlocks::Taken> block = blocks_.take(bytes, welcome);
  if (!block && held_)
    throw MemoryFull(
        fmt::format("{} bytes more than the {} in use do not fit into the {} that the device gave "
                    "before the step, and during a step it is not asked: it would wait for other "
                    "ranks",
                    bytes, in_use(), taken()),
        size_.whose);
  if (!block && (grow(std::max(bytes, size_.more)) || grow(bytes)))
    block = blocks_.take(bytes, welcome);
  if (!block)
    throw MemoryFull(fmt::format("{} is full: {} bytes more than the {} in use do not fit into the "
                                 "{} that it gave",
                                 name_of(size_.whose), bytes, in_use(), taken()),
                     size_.whose);
  streams_.order(lane_, block->used);
  given_.insert(block->memory);
  return block->memory;
}

void Arena::give_back(std::byte* memory, const Places& used) {
  given_.erase(memory);
  if (size_.reuse == Reuse::never) return;
  blocks_.give_back(memory, used,
                    [this](const Places& each) { return streams_.ordered(lane_, each); });
}

}  // namespace quintet::engine
