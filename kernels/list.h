// Several things that an operator does at once. On a GPU they go there with the launch, so a
// captured one needs nothing that may have moved.
#pragma once

namespace quintet::kernels {

template <class Item>
struct List {
  static constexpr int most = 128;

  int number = 0;
  Item items[most] = {};

  const Item* begin() const { return items; }
  const Item* end() const { return items + number; }
};

template <class Item>
List<Item> list_of_one(const Item& item) {
  return {1, {item}};
}

}  // namespace quintet::kernels
