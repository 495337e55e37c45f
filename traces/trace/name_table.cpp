#include "traces/trace/name_table.h"

#include <functional>

namespace quintet {

namespace {

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
}

}  // namespace

std::size_t NameTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].index >= 0 && (slots_[at].hash != hash || (*this)[slots_[at].index] != text))
    at = (at + 1) & mask;
  return at;
}

std::int32_t NameTable::find(std::string_view text) const {
  return slots_[slot_of(text, hash_of(text))].index;
}

std::int32_t NameTable::index_of(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.index >= 0) return slot.index;
  const auto index = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(text);
  slot = {hash, index};
  if (2 * names_.size() > slots_.size()) grow();
  return index;
}

void NameTable::grow() {
  std::vector<Slot> larger(2 * slots_.size());
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.index < 0) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].index >= 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace quintet
