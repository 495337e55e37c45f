#include "traces/astra_sim/mailbox.h"

#include <utility>

namespace quintet {
namespace {

constexpr std::size_t least_slots = 1024;

std::uint64_t mixed(std::uint64_t sum, std::uint64_t value) {
  sum = (sum ^ value) * 0x9E3779B97F4A7C15u;
  return sum ^ (sum >> 29);
}

}  // namespace

Mailbox::Mailbox() : slots_(least_slots) {}

std::size_t Mailbox::home_of(const MessageKey& key) const {
  const std::uint64_t ends = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.from))
                                 << 32 |
                             static_cast<std::uint32_t>(key.to);
  const std::uint64_t sum = mixed(mixed(mixed(0, ends), static_cast<std::uint64_t>(key.tag)),
                                  static_cast<std::uint64_t>(key.size));
  return static_cast<std::size_t>(sum >> 24) & (slots_.size() - 1);  // high bits are mixed best
}

// The key's, made if there is none.
Mailbox::Slot& Mailbox::slot_of(const MessageKey& key) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  std::size_t at = home_of(key);
  while (slots_[at].used && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  if (!slots_[at].used) {
    slots_[at] = {key, 0, -1, -1, true};
    ++used_;
  }
  return slots_[at];
}

// Those behind it that would not be found past the gap move up.
void Mailbox::drop_if_empty(Slot& slot) {
  if (slot.come > 0 || slot.first >= 0) return;
  const std::size_t mask = slots_.size() - 1;
  std::size_t gap = static_cast<std::size_t>(&slot - slots_.data());
  for (std::size_t at = (gap + 1) & mask; slots_[at].used; at = (at + 1) & mask) {
    const std::size_t home = home_of(slots_[at].key);
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap].used = false;
  --used_;
}

void Mailbox::grow() {
  std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : before) {
    if (!slot.used) continue;
    std::size_t at = home_of(slot.key);
    while (slots_[at].used) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

std::optional<Receiver> Mailbox::put(const MessageKey& key) {
  Slot& slot = slot_of(key);
  if (slot.first < 0) {
    ++slot.come;
    return std::nullopt;
  }
  const std::int32_t place = slot.first;
  Waiting& waiting = waiting_[static_cast<std::size_t>(place)];
  const Receiver receiver = waiting.receiver;
  slot.first = waiting.next;
  if (slot.first < 0) slot.last = -1;
  waiting.next = std::exchange(free_, place);
  drop_if_empty(slot);
  return receiver;
}

bool Mailbox::take(const MessageKey& key, Receiver receiver) {
  Slot& slot = slot_of(key);
  if (slot.come > 0) {
    --slot.come;
    drop_if_empty(slot);
    return true;
  }
  std::int32_t place = free_;
  if (place < 0) {
    place = static_cast<std::int32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    free_ = waiting_[static_cast<std::size_t>(place)].next;
  }
  waiting_[static_cast<std::size_t>(place)] = {receiver, -1};
  if (slot.last >= 0) {
    waiting_[static_cast<std::size_t>(slot.last)].next = place;
  } else {
    slot.first = place;
  }
  slot.last = place;
  return false;
}

std::optional<MessageKey> Mailbox::awaited() const {
  for (const Slot& slot : slots_)
    if (slot.used && slot.first >= 0) return slot.key;
  return std::nullopt;
}

}  // namespace quintet
