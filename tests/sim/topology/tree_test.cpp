#include "sim/topology/families/tree.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

enum class Family { fat_tree, rail_optimised };

TreeRecipe network(Family family, int ports, int tiers) {
  TreeRecipe recipe;
  recipe.by_rail = family == Family::rail_optimised;
  recipe.leaf.ports = recipe.spine.ports = recipe.core.ports = ports;
  recipe.tiers = tiers;
  return recipe;
}

// leaves, spines, cores, cables between switches
struct Sizes {
  std::int64_t leaves, spines, cores, trunks;
  bool operator==(const Sizes&) const = default;
};

Sizes sizes(const TreeRecipe& recipe, int hosts, int nics = 1) {
  const Result<TreeSize> size = tree_size(recipe, hosts, nics);
  EXPECT_TRUE(size.has_value()) << size.error().text();
  if (!size) return {};
  return {size->planes * std::int64_t{size->leaves}, size->planes * size->spines(),
          size->planes * size->cores(), size->trunks()};
}

// Al-Fares et al. 2008, k = 4 has 16 hosts, 8 + 8 + 4 switches, 32 switch links.
TEST(FatTree, OfFourPortsHasSixteenHostsAndTwentySwitches_D1) {
  EXPECT_EQ(fat_tree_capacity(4), 16);
  EXPECT_EQ(sizes(network(Family::fat_tree, 4, 3), 16), (Sizes{8, 8, 4, 32}));
}

// Al-Fares et al. 2008, k = 64 has 65,536 hosts, 2048 + 2048 + 1024 switches, 131,072 switch links;
// k = 128 has 524,288 hosts.
TEST(FatTree, GrowsWithTheCubeOfThePorts_D1) {
  EXPECT_EQ(fat_tree_capacity(64), 65'536);
  EXPECT_EQ(sizes(network(Family::fat_tree, 64, 3), 65'536), (Sizes{2048, 2048, 1024, 131'072}));
  EXPECT_EQ(fat_tree_capacity(128), 524'288);
  EXPECT_EQ(sizes(network(Family::fat_tree, 128, 3), 524'288),
            (Sizes{8192, 8192, 4096, 1'048'576}));
}

// As above, one host too many.
TEST(FatTree, RefusesMoreHostsThanItHolds_D1) {
  EXPECT_FALSE(tree_size(network(Family::fat_tree, 64, 3), 65'537, 1).has_value());
}

// Two tiers of radix k hold k^2/2 hosts on k leaves and k/2 spines.
TEST(FatTree, OfTwoTiersHoldsHalfTheSquareOfThePorts) {
  EXPECT_EQ(sizes(network(Family::fat_tree, 8, 2), 32), (Sizes{8, 4, 0, 32}));
  EXPECT_FALSE(tree_size(network(Family::fat_tree, 8, 2), 33, 1).has_value());
}

// SimGrid's example: XGFT(2;4,4;1,2;1,2): 16 hosts, 4 leaves, 2 cores, 16 leaf-core cables.
TEST(FatTree, TakesExplicitCountsLikeSimGrid_D3) {
  TreeRecipe recipe = network(Family::fat_tree, 8, 2);
  recipe.children = {4, 4};
  recipe.parents = {1, 2};
  recipe.cables = {1, 2};
  EXPECT_EQ(sizes(recipe, 16), (Sizes{4, 2, 0, 16}));
}

// The same tree as k = 4 by counts: XGFT(3; 2,2,4; 1,2,2).
TEST(FatTree, ByCountsEqualsFatTreeByPorts_D1) {
  TreeRecipe recipe = network(Family::fat_tree, 4, 3);
  const Result<TreeSize> by_ports = tree_size(recipe, 16, 1);
  recipe.children = {2, 2, 4};
  recipe.parents = {1, 2, 2};
  recipe.cables = {1, 1, 1};
  const Result<TreeSize> by_counts = tree_size(recipe, 16, 1);
  ASSERT_TRUE(by_ports && by_counts);
  EXPECT_EQ(*by_ports, *by_counts);
}

// HPN, 15 segments of 128 hosts with 8 NICs of two 200G ports: 240 leaves, 120
// spines; a leaf has 128 x 200G down and 60 x 400G up (3.2).
TEST(RailOptimised, InTwoPlanesHasTheSwitchesOfHpn_D6) {
  TreeRecipe recipe = network(Family::rail_optimised, 128, 2);
  recipe.leaf.ports = 188;
  recipe.planes = 2;
  recipe.hosts_per_leaf = 128;
  recipe.leaf_uplinks = 60;
  EXPECT_EQ(sizes(recipe, 15 * 1024 / 8, 8), (Sizes{240, 120, 0, 240 * 60}));
}

// 4 groups of 32 hosts and 8 rails: 32 leaves with 32 uplinks; 1024 uplinks fill 16 spines of 64.
TEST(RailOptimised, HasOnlyTheSpinesItNeeds) {
  TreeRecipe recipe = network(Family::rail_optimised, 64, 3);
  recipe.hosts_per_leaf = 32;
  EXPECT_EQ(sizes(recipe, 128, 8), (Sizes{32, 16, 0, 1024}));
}

// 2,048 hosts: 512 leaves; pods of 32 leaves (4 groups) with 32 spines each: 16 pods, 512 spines;
// spine j of 16 pods has 32 uplinks: 16 x 32 / 64 = 8 cores for each of 32 spines = 256.
TEST(RailOptimised, AddsAThirdTierWhenSpinesRunOutOfPorts) {
  TreeRecipe recipe = network(Family::rail_optimised, 64, 3);
  recipe.hosts_per_leaf = 32;
  EXPECT_EQ(sizes(recipe, 2048, 8), (Sizes{512, 512, 256, 2 * 512 * 32}));
}

// 40 ports split 3 : 1 are 30 down and 10 up; 60 hosts need 2 leaves, 20 uplinks one spine.
TEST(FatTree, SplitsTheLeafPortsByOversubscription) {
  TreeRecipe recipe = network(Family::fat_tree, 40, 2);
  recipe.oversubscription = 3.0;
  EXPECT_EQ(sizes(recipe, 60), (Sizes{2, 1, 0, 20}));
}

// 40 ports do not split 2 : 1 into whole ports (26.67 : 13.33).
TEST(FatTree, RefusesARatioThatDoesNotDivideThePorts) {
  TreeRecipe recipe = network(Family::fat_tree, 40, 2);
  recipe.oversubscription = 2.0;
  const Result<TreeSize> size = tree_size(recipe, 60, 1);
  ASSERT_FALSE(size.has_value());
  EXPECT_EQ(size.error().where, "oversubscription");
}

TEST(FatTree, NeedsNoSpineWhenOneLeafHoldsAll) {
  EXPECT_EQ(sizes(network(Family::fat_tree, 8, 3), 4), (Sizes{1, 0, 0, 0}));
}

}  // namespace
}  // namespace quintet
