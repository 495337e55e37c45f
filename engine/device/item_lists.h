// Items for a kernel that takes only so many of them at once (kernels/list.h).
#pragma once

#include <utility>

#include "kernels/list.h"

namespace quintet::engine {

template <class Item>
class ItemLists {
 public:
  // run(a full list), as soon as there is one.
  template <class Run>
  void add(const Item& item, const Run& run) {
    list_.items[list_.number++] = item;
    if (list_.number == kernels::List<Item>::most) run(rest());
  }
  bool empty() const { return list_.number == 0; }
  kernels::List<Item> rest() { return std::exchange(list_, kernels::List<Item>{}); }

 private:
  kernels::List<Item> list_;
};

}  // namespace quintet::engine
