#include "sim/topology/families/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sim/topology/families/leaf_ratio.h"

namespace quintet {
namespace {

using Count = std::int64_t;

Count divided_up(Count whole, Count part) {
  return (whole + part - 1) / part;
}

std::string in_words(Count count, const std::string& thing) {
  return fmt::format("{} {}", count, thing);
}

// The fewest switches above, so that each below has evenly many cables to each of them and none
// above has more than `ports` cables. 0: impossible.
int fewest_above(int uplinks, Count below, int ports) {
  for (int above = 1; above <= uplinks; ++above)
    if (uplinks % above == 0 && below * (uplinks / above) <= ports) return above;
  return 0;
}

// Ports down and up of a leaf.
struct LeafSplit {
  int down = 0, up = 0;
};

Result<LeafSplit> rail_split(const TreeRecipe& tree) {
  const double up = tree.hosts_per_leaf / tree.oversubscription;
  if (tree.leaf_uplinks) return LeafSplit{tree.hosts_per_leaf, *tree.leaf_uplinks};
  if (up < 1.0 || up != std::floor(up))
    return Error{"oversubscription",
                 in_words(tree.hosts_per_leaf, "hosts per leaf") +
                     " do not divide by it into whole uplinks; choose a divisor or give "
                     "\"leaf_uplinks\""};
  return LeafSplit{tree.hosts_per_leaf, static_cast<int>(up)};
}

Result<LeafSplit> fat_tree_split(const TreeRecipe& tree) {
  const int ports = tree.leaf.ports;
  if (tree.leaf_uplinks) {
    if (*tree.leaf_uplinks < ports)
      return LeafSplit{tree.leaf_down.value_or(ports - *tree.leaf_uplinks), *tree.leaf_uplinks};
    return Error{"leaf_uplinks", "leave no port for hosts: a leaf has " + in_words(ports, "ports")};
  }
  const int up = static_cast<int>(std::lround(ports / (1.0 + tree.oversubscription)));
  if (up < 1 || std::abs((ports - up) - tree.oversubscription * up) > 1e-9)
    return Error{"oversubscription",
                 in_words(ports, "ports") +
                     " cannot be split in this ratio; choose one that divides them or give "
                     "\"leaf_uplinks\""};
  return LeafSplit{ports - up, up};
}

std::optional<Error> too_many_leaf_ports(const TreeRecipe& tree, LeafSplit split) {
  if (split.down + split.up <= tree.leaf.ports) return std::nullopt;
  return Error{"switch.ports",
               fmt::format("a leaf needs {}{}, it has {}", in_words(split.down, "ports down and "),
                           in_words(split.up, "up"), tree.leaf.ports)};
}

Result<TreeSize> two_tiers(const TreeRecipe& tree, TreeSize size, int uplinks) {
  const int spines = fewest_above(uplinks, size.leaves, tree.spine.ports);
  if (spines == 0)
    return Error{"tiers", "spines of " + in_words(tree.spine.ports, "ports") + " cannot join " +
                              in_words(size.leaves, "leaves") +
                              (tree.tiers < 3 ? "; set \"tiers\" to 3, or use larger switches or fewer hosts"
                                              : "; use larger switches or fewer hosts")};
  size.tiers = 2;
  size.leaves_per_pod = size.leaves;
  size.spines_per_pod = spines;
  size.spine_cables = uplinks / spines;
  return size;
}

// A spine gives half its ports to leaves, half to cores (no oversubscription above the leaves).
Result<TreeSize> three_tiers(const TreeRecipe& tree, TreeSize size, int uplinks, int nics) {
  const bool rails = tree.by_rail;
  const int down = tree.spine.ports / 2;
  const int pod = rails ? down / nics * nics : down;  // whole groups
  const int spines = pod > 0 ? fewest_above(uplinks, pod, down) : 0;
  if (spines == 0)
    return Error{"spine_switch.ports", in_words(tree.spine.ports, "ports") +
                                           " are too few for a pod of " + in_words(nics, "rails")};
  size.leaves_per_pod = pod;
  size.pods = static_cast<int>(divided_up(size.leaves, pod));
  size.spines_per_pod = spines;
  size.spine_cables = uplinks / spines;
  const int spine_uplinks = pod * size.spine_cables;
  size.cores_per_spine = fewest_above(spine_uplinks, size.pods, tree.core.ports);
  if (size.cores_per_spine == 0)
    return Error{"tiers", "cores of " + in_words(tree.core.ports, "ports") + " cannot join " +
                              in_words(size.pods, "pods") + "; use larger switches or fewer hosts"};
  size.tiers = 3;
  size.core_cables = spine_uplinks / size.cores_per_spine;
  return size;
}

Count product(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), Count{1}, [](Count all, int one) {
    return std::min<Count>(all * one, Count{1} << 31);  // more than any limit; never overflows
  });
}

// Cables on the busiest switch of each tier against its ports.
std::optional<Error> too_many_ports(const TreeRecipe& tree, const TreeSize& size) {
  const auto check = [](const char* field, Count used, int ports) -> std::optional<Error> {
    if (used <= ports) return std::nullopt;
    return Error{field,
                 in_words(used, "cables meet on a switch that has ") + in_words(ports, "ports")};
  };
  if (auto leaf = check("switch.ports", size.leaf_ports + size.leaf_uplinks(), tree.leaf.ports))
    return leaf;
  const Count spine = Count{size.leaves_per_pod} * size.spine_cables + size.spine_uplinks();
  if (auto error = check("spine_switch.ports", spine, tree.spine.ports)) return error;
  return check("core_switch.ports", Count{size.pods} * size.core_cables, tree.core.ports);
}

Result<TreeSize> counted(const TreeRecipe& tree, Count endpoints) {
  const std::size_t tiers = tree.children.size();
  if (tiers < 1 || tiers > 3 || tree.parents.size() != tiers || tree.cables.size() != tiers)
    return Error{"children",
                 "\"children\", \"parents\" and \"cables\" list one count for each of "
                 "1 to 3 tiers"};
  if (tree.parents[0] != 1 || tree.cables[0] != 1)
    return Error{"parents",
                 "a NIC has one cable to one leaf: the first \"parents\" and \"cables\" "
                 "are 1"};
  if (endpoints > product(tree.children))
    return Error{"children", fmt::format("hold {}, the hosts have {}",
                                         in_words(product(tree.children), "NICs"), endpoints)};
  TreeSize size{static_cast<int>(tiers), 1, tree.children[0]};
  size.leaves = static_cast<int>(divided_up(endpoints, size.leaf_ports));
  if (tiers == 1) return size;
  size.leaves_per_pod = tree.children[1];
  size.pods = static_cast<int>(divided_up(size.leaves, size.leaves_per_pod));
  size.spines_per_pod = tree.parents[1];
  size.spine_cables = tree.cables[1];
  if (tiers == 2) return size;
  size.cores_per_spine = tree.parents[2];
  size.core_cables = tree.cables[2];
  return size;
}

Result<TreeSize> sized(const TreeRecipe& tree, Count hosts, Count nics) {
  const bool rails = tree.by_rail;
  const Result<LeafSplit> split = rails ? rail_split(tree) : fat_tree_split(tree);
  if (!split) return split.error();
  if (const auto error = too_many_leaf_ports(tree, *split)) return *error;
  TreeSize size{1, tree.planes, split->down};
  size.leaves = static_cast<int>(rails ? divided_up(hosts, split->down) * nics
                                       : divided_up(hosts * nics, split->down));
  if (size.leaves == 1) return size;
  const Result<TreeSize> two = two_tiers(tree, size, split->up);
  if (two || tree.tiers < 3) return two;
  return three_tiers(tree, size, split->up, static_cast<int>(nics));
}

}  // namespace

Result<TreeSize> tree_size(const TreeRecipe& tree, int hosts, int nics) {
  const bool explicit_counts = !tree.children.empty();
  Result<TreeSize> size =
      explicit_counts ? counted(tree, Count{hosts} * nics) : sized(tree, hosts, nics);
  if (!size) return size;
  if (const auto error = too_many_ports(tree, *size)) return *error;
  return size;
}

namespace {

Error no_spine(Count nics) {
  return {"oversubscription",
          in_words(nics, "NICs") +
              " hang on one leaf, which no spine is above: nothing is oversubscribed; leave it "
              "out, or ask for smaller switches (--set network.switch.ports) or more hosts"};
}

Result<TreeRecipe> with_uplinks(TreeRecipe tree, const Result<LeafPorts>& ports) {
  if (!ports) return ports.error();
  tree.leaf_uplinks = ports->up;
  if (!tree.by_rail) tree.leaf_down = ports->down;
  return tree;
}

}  // namespace

Result<TreeRecipe> oversubscribed(TreeRecipe tree, double ratio, int hosts, int nics,
                                  Bandwidth nic) {
  const double rate = nic / tree.planes / tree.trunk.bandwidth;
  const Count all = Count{hosts} * nics;
  if (!tree.children.empty()) {
    if (tree.children.size() < 2 || tree.parents.size() < 2 || tree.cables.size() < 2)
      return no_spine(all);
    const int down = static_cast<int>(std::min<Count>(tree.children[0], all));
    const Result<LeafPorts> ports =
        leaf_ports(ratio, {tree.leaf.ports, tree.children[0], down, tree.parents[1], rate});
    if (!ports) return ports.error();
    tree.cables[1] = ports->up / tree.parents[1];
    return tree;
  }
  if (tree.by_rail) {
    if (nics == 1 && hosts <= tree.hosts_per_leaf) return no_spine(all);
    const int down = std::min(hosts, tree.hosts_per_leaf);
    return with_uplinks(tree,
                        leaf_ports(ratio, {tree.leaf.ports, tree.hosts_per_leaf, down, 1, rate}));
  }
  Result<TreeRecipe> made =
      with_uplinks(tree, leaf_ports(ratio, {tree.leaf.ports, 0, std::nullopt, 1, rate}));
  if (made && all <= *made->leaf_down) return no_spine(all);
  return made;
}

std::int64_t fat_tree_capacity(int ports) {
  return Count{ports} * ports * ports / 4;
}

}  // namespace quintet
