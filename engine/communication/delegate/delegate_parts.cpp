#include "engine/communication/delegate/delegate_parts.h"

#include <algorithm>
#include <cassert>

namespace quintet::engine {

PinnedBlocks::~PinnedBlocks() {
  for (const Block& block : blocks_) device_.free_pinned(block.memory);
}

// The smallest that is large enough, unless most of it would lie idle.
std::span<std::byte> PinnedBlocks::take(std::size_t size) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const bool fits = !block.taken && block.size >= size && block.size / 2 <= size;
    if (fits && (best == nullptr || block.size < best->size)) best = &block;
  }
  if (best == nullptr) {
    const std::size_t bytes = std::max<std::size_t>(size, 1);
    void* const memory = device_.allocate_pinned(bytes);
    if (memory == nullptr) return {};
    blocks_.push_back({static_cast<std::byte*>(memory), bytes});
    allocated_ += bytes;
    best = &blocks_.back();
  }
  best->taken = true;
  return {best->memory, best->size};
}

void PinnedBlocks::give_back(std::span<std::byte> block) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& each) { return each.memory == block.data(); });
  assert(found != blocks_.end() && found->taken);
  found->taken = false;
}

Ticket InnerTickets::add(Ticket ticket) {
  under_way_.push_back(ticket);
  return ticket;
}

std::optional<Error> InnerTickets::ask(Patience patience) {
  const Result<std::vector<Completion>> ended = inner_.finished(under_way_, patience);
  if (!ended) return ended.error();
  for (const Completion& each : *ended) over_[under_way_[each.place].number] = each;
  std::erase_if(under_way_, [&](Ticket ticket) { return over_.contains(ticket.number); });
  return std::nullopt;
}

std::optional<Completion> InnerTickets::take(Ticket ticket) {
  const auto found = over_.find(ticket.number);
  if (found == over_.end()) return std::nullopt;
  const Completion completion = found->second;
  over_.erase(found);
  return completion;
}

}  // namespace quintet::engine
