#include "sim/program/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace quintet {
namespace {

using Ranks = std::vector<int>;

std::vector<Ranks> numbers(const std::vector<std::vector<Rank>>& groups) {
  std::vector<Ranks> result;
  for (const auto& group : groups) {
    Ranks& members = result.emplace_back();
    for (const Rank rank : group) members.push_back(rank.value);
  }
  return result;
}

Communicator along(std::vector<AxisPart> parts, std::vector<int> stages = {}) {
  return {"test", std::move(parts), std::move(stages)};
}

// rank = tensor + 2 (data + 3 pipeline)
const Grid tensor_inside{{{Axis::tensor, 2}, {Axis::data, 3}, {Axis::pipeline, 2}}};
// rank = pipeline + 2 (data + 3 tensor)
const Grid pipeline_inside{{{Axis::pipeline, 2}, {Axis::data, 3}, {Axis::tensor, 2}}};

TEST(Groups, CountRanksAlongEachAxis) {
  EXPECT_EQ(12, world_size(tensor_inside));
  EXPECT_EQ(3, size_of(tensor_inside, Axis::data));
  EXPECT_EQ(1, size_of(tensor_inside, Axis::expert));  // an axis the grid does not name
  EXPECT_EQ(1, world_size(Grid{}));
}

// Rank 7 = 1 + 2 (0 + 3 * 1), and 7 = 1 + 2 (0 + 3 * 1) read with pipeline innermost.
TEST(Groups, GiveEveryRankItsCoordinates) {
  EXPECT_EQ(1, coordinate(tensor_inside, Rank{7}, Axis::tensor));
  EXPECT_EQ(0, coordinate(tensor_inside, Rank{7}, Axis::data));
  EXPECT_EQ(1, coordinate(tensor_inside, Rank{7}, Axis::pipeline));
  EXPECT_EQ(0, coordinate(tensor_inside, Rank{7}, Axis::context));
  EXPECT_EQ(RoleId{1}, role_of(tensor_inside, Rank{7}));
  EXPECT_EQ(RoleId{1}, role_of(pipeline_inside, Rank{7}));
  EXPECT_EQ(2, coordinate(pipeline_inside, Rank{10}, Axis::data));
  EXPECT_EQ(1, coordinate(pipeline_inside, Rank{10}, Axis::tensor));
}

TEST(Groups, RunAlongEveryAxisInTheGridsOrder) {
  EXPECT_EQ((std::vector<Ranks>{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}),
            numbers(all_groups(tensor_inside, along({{Axis::tensor}}))));
  EXPECT_EQ((std::vector<Ranks>{{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}}),
            numbers(all_groups(tensor_inside, along({{Axis::data}}))));
  EXPECT_EQ((std::vector<Ranks>{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}}),
            numbers(all_groups(tensor_inside, along({{Axis::pipeline}}))));
  EXPECT_EQ((std::vector<Ranks>{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}}),
            numbers(all_groups(pipeline_inside, along({{Axis::tensor}}))));
  EXPECT_EQ((std::vector<Ranks>{{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}}),
            numbers(all_groups(pipeline_inside, along({{Axis::data}}))));
}

// The first part runs fastest, whatever the grid's order.
TEST(Groups, SpanSeveralAxes) {
  EXPECT_EQ((std::vector<Ranks>{{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5, 10, 11}}),
            numbers(all_groups(tensor_inside, along({{Axis::tensor}, {Axis::pipeline}}))));
  EXPECT_EQ((std::vector<Ranks>{{0, 6, 1, 7}, {2, 8, 3, 9}, {4, 10, 5, 11}}),
            numbers(all_groups(tensor_inside, along({{Axis::pipeline}, {Axis::tensor}}))));
}

// Hybrid sharding: shards of 2 neighbours, replicas at stride 2.
TEST(Groups, SplitAnAxisIntoShardsAndReplicas) {
  const Grid grid{{{Axis::tensor, 2}, {Axis::data, 4}}};
  EXPECT_EQ((std::vector<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}),
            numbers(all_groups(grid, along({{Axis::data, 2, 1}}))));
  EXPECT_EQ((std::vector<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}),
            numbers(all_groups(grid, along({{Axis::data, 2, 2}}))));
  // Size 0 with a stride: all that are left.
  EXPECT_EQ((std::vector<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}),
            numbers(all_groups(grid, along({{Axis::data, 0, 2}}))));
}

TEST(Groups, KeepOnlyTheStagesNamed) {
  const Grid grid{{{Axis::tensor, 2}, {Axis::pipeline, 4}}};
  const Communicator embedding = along({{Axis::pipeline}}, {0, 3});
  EXPECT_EQ((std::vector<Ranks>{{0, 6}, {1, 7}}), numbers(all_groups(grid, embedding)));
  EXPECT_EQ(2, group_size(grid, embedding));
  EXPECT_EQ(std::vector<Rank>{}, group_of(grid, embedding, Rank{2}));  // stage 1
}

TEST(Groups, AreNeighboursCyclically) {
  EXPECT_EQ(Rank{7}, neighbour(tensor_inside, Rank{1}, Axis::pipeline, 1));
  EXPECT_EQ(Rank{1}, neighbour(tensor_inside, Rank{7}, Axis::pipeline, 1));
  EXPECT_EQ(Rank{5}, neighbour(tensor_inside, Rank{1}, Axis::data, -1));
  EXPECT_EQ(Rank{3}, neighbour(tensor_inside, Rank{1}, Axis::data, -5));
  EXPECT_EQ(Rank{1}, neighbour(tensor_inside, Rank{1}, Axis::expert, 1));
}

// Every order of the axes, every communicator: groups are disjoint, cover all ranks, have the size
// that group_size says, and group_of gives each member the same group.
TEST(Groups, PartitionTheRanksInEveryOrderOfTheAxes) {
  std::vector<AxisSize> axes{{Axis::tensor, 2},
                             {Axis::context, 1},
                             {Axis::expert, 1},
                             {Axis::data, 6},
                             {Axis::pipeline, 3}};
  const std::vector<Communicator> communicators{along({{Axis::tensor}}),
                                                along({{Axis::data}}),
                                                along({{Axis::pipeline}}),
                                                along({{Axis::data, 3, 1}}),
                                                along({{Axis::data, 2, 3}}),
                                                along({{Axis::data, 2, 1}}),
                                                along({{Axis::data, 3, 2}}),
                                                along({{Axis::tensor}, {Axis::pipeline}}),
                                                along({{Axis::data, 3, 1}, {Axis::tensor}})};
  const auto before = [](const AxisSize& left, const AxisSize& right) {
    return left.axis < right.axis;
  };
  do {
    const Grid grid{axes};
    for (const Communicator& communicator : communicators) {
      std::set<int> seen;
      for (const auto& group : all_groups(grid, communicator)) {
        EXPECT_EQ(group_size(grid, communicator), static_cast<int>(group.size()));
        for (const Rank member : group) {
          EXPECT_TRUE(seen.insert(member.value).second);
          EXPECT_EQ(group, group_of(grid, communicator, member));
        }
      }
      EXPECT_EQ(36U, seen.size());
    }
  } while (std::next_permutation(axes.begin(), axes.end(), before));
}

}  // namespace
}  // namespace quintet
