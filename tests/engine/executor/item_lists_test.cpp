#include "engine/device/item_lists.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace quintet::engine::test {
namespace {

std::vector<int> numbers(int count) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), 0);
  return made;
}

TEST(ItemLists, HandOnFullListsAndKeepTheRest) {
  constexpr int most = kernels::List<int>::most;
  for (const int count : {0, 1, most - 1, most, most + 1, 3 * most, 3 * most + 5}) {
    ItemLists<int> lists;
    std::vector<int> found;
    const auto run = [&](const kernels::List<int>& list) {
      EXPECT_EQ(list.number, most);
      found.insert(found.end(), list.begin(), list.end());
    };
    for (const int number : numbers(count)) lists.add(number, run);
    EXPECT_EQ(lists.empty(), count % most == 0) << count;
    const kernels::List<int> rest = lists.rest();
    EXPECT_TRUE(lists.empty());
    found.insert(found.end(), rest.begin(), rest.end());
    EXPECT_EQ(found, numbers(count));
  }
}

}  // namespace
}  // namespace quintet::engine::test
