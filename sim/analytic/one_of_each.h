// Pieces that are equal are one: so an address tells what a piece holds, and what was found out of
// one is known of all like it.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace quintet {

// `Hash` of equal values is equal.
template <class Value, class Hash>
class OneOfEach {
 public:
  // Valid as long as this.
  const Value& of(Value made) {
    const std::size_t hash = Hash{}(made);
    const auto [begin, end] = all_.equal_range(hash);
    for (auto at = begin; at != end; ++at)
      if (*at->second == made) return *at->second;
    return *all_.emplace(hash, std::make_unique<Value>(std::move(made)))->second;
  }

 private:
  std::unordered_multimap<std::size_t, std::unique_ptr<Value>> all_;
};

}  // namespace quintet
