#include "sim/base/rows.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace quintet {
namespace {

std::vector<int> listed(std::span<const int> row) {
  return {row.begin(), row.end()};
}

// Owner 2 is given 5, then 4, owner 0 is given 7 between them, owner 1 nothing.
TEST(Rows, KeepWhatEachOwnerIsGivenInItsOrder) {
  constexpr std::array<std::pair<std::size_t, int>, 3> given{{{2, 5}, {0, 7}, {2, 4}}};
  const Rows<int> rows(3, [&](const auto& put) {
    for (const auto& [owner, entry] : given) put(owner, entry);
  });
  EXPECT_EQ(listed(rows[0]), std::vector<int>{7});
  EXPECT_EQ(listed(rows[1]), std::vector<int>{});
  EXPECT_EQ(listed(rows[2]), (std::vector<int>{5, 4}));
}

TEST(Rows, OfNothingAreEmpty) {
  const Rows<int> rows(1, [](const auto&) {});
  EXPECT_TRUE(rows[0].empty());
}

}  // namespace
}  // namespace quintet
