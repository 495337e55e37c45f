#include "engine/communication/group_options.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

const quintet::Communicator data{"data", {{Axis::data}}, {}};
const std::vector<Rank> members{Rank{1}, Rank{3}, Rank{5}, Rank{7}};

GroupOptions options_for(const std::vector<Seat>& seats) {
  return group_options(CommunicatorId{4}, data, members, layout_of(members, seats));
}

TEST(GroupOptions, WithoutSeatsAllAreOnOneHost) {
  const GroupOptions options = options_for({});
  EXPECT_EQ(options.id, 4u);
  EXPECT_EQ(options.name, "data");
  EXPECT_EQ(options.members, members);
  EXPECT_EQ(options.levels, (std::vector{4, 1}));
  EXPECT_EQ(options.order, (std::vector{0, 1, 2, 3}));
}

// Ranks 1 and 5 on host 0, 3 and 7 on host 1: positions 0 and 2, then 1 and 3.
TEST(GroupOptions, OrderIsHostByHost) {
  const std::vector<Seat> seats{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
  const GroupOptions options = options_for(seats);
  EXPECT_EQ(options.levels, (std::vector{2, 2}));
  EXPECT_EQ(options.order, (std::vector{0, 2, 1, 3}));
}

// Three on host 0, one on host 1: no levels to speak of.
TEST(GroupOptions, UnevenHostsAreOneLevel) {
  const std::vector<Seat> seats{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {1, 1}, {0, 3}, {1, 2}, {1, 3}};
  const GroupOptions options = options_for(seats);
  EXPECT_EQ(options.levels, std::vector<int>{});
  EXPECT_EQ(options.order, (std::vector{0, 1, 2, 3}));
}

}  // namespace
}  // namespace quintet::engine
