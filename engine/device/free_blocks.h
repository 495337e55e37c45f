// Memory in blocks: the smallest free one that fits is given out and its rest stays free. A free
// block remembers what last used it; whoever takes it comes after that. Free neighbours become one
// at once where both are welcome or neither is, so that what nobody has to wait for stays so; all
// become one when they must.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/device/places.h"

namespace quintet::engine {

class FreeBlocks {
 public:
  struct Taken {
    std::byte* memory = nullptr;
    Places used{};  // by whom, before
  };
  using Welcome = std::function<bool(const Places& used)>;

  // Sizes are multiples of this, as are addresses in what is added.
  static constexpr std::size_t granule = 256;
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + granule - 1) / granule * granule;
  }

  void add(std::byte* memory, std::size_t bytes);
  // The smallest among those that are welcome, else the smallest of all, if there is one.
  std::optional<Taken> take(std::size_t bytes, const Welcome& welcome);
  void give_back(std::byte* memory, const Places& used, const Welcome& welcome);
  void join_all();

  std::size_t in_use() const { return in_use_; }
  std::size_t peak() const { return peak_; }

 private:
  struct Block {
    std::size_t size = 0;
    bool free = true;
    bool begins = false;  // with memory of its own: never one with what lies before
    Places used{};
  };
  using Place = std::map<std::byte*, Block>::iterator;
  using Free = std::set<std::pair<std::size_t, std::byte*>>;  // by size
  static bool adjoin(Place block, Place next);
  void join(Place block, Place next);
  Taken take_from(Free::iterator chosen, std::size_t size);

  std::map<std::byte*, Block> blocks_;
  Free free_;
  std::size_t in_use_ = 0, peak_ = 0;
};

}  // namespace quintet::engine
