// Lists of many owners, one after the other in one piece of memory: what a vector of vectors holds,
// without an allocation for each.
//
//   const Rows<LinkId> of(devices, [&](auto put) { for (...) put(device, link); });
//   for (const LinkId link : of[device]) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quintet {

template <class Entry>
class Rows {
 public:
  Rows() = default;

  // `each(put)` calls put(owner, entry) for all entries, the same each time: it is asked twice.
  // What an owner is given keeps its order.
  template <class Each>
  Rows(std::size_t owners, Each each) : begins_(owners + 1, 0) {
    each([&](std::size_t owner, const Entry&) { ++begins_[owner + 1]; });
    for (std::size_t owner = 0; owner < owners; ++owner) begins_[owner + 1] += begins_[owner];
    entries_.resize(begins_.back());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    each([&](std::size_t owner, const Entry& entry) { entries_[next[owner]++] = entry; });
  }

  std::span<const Entry> operator[](std::size_t owner) const {
    return std::span(entries_).subspan(begins_[owner], begins_[owner + 1] - begins_[owner]);
  }

 private:
  std::vector<std::uint32_t> begins_;  // per owner, and the end of the last
  std::vector<Entry> entries_;
};

}  // namespace quintet
