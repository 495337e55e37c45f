// How many switches and cables a fat tree or a rail-optimised network needs. Numbers only.
//
//            core            tier 3   joins pods
//           /    \             .
//       spine    spine       tier 2   joins the leaves of a pod
//       /  \     /  \          .
//    leaf  leaf leaf leaf    tier 1   NICs: by host (fat tree) or by rail (rail-optimised)
//
// All wiring is even: each leaf has the same number of cables to each spine of its pod, and spine
// j of every pod has the same number of cables to each of its cores (D-mod-K needs this).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {

// A tree of switches over endpoints (NICs). Either sized here (counts empty) or by explicit counts.
struct TreeRecipe {
  bool by_rail = false;  // rail-optimised: NIC r of every host of a group is on the group's leaf r
  SwitchRecipe leaf, spine, core;
  WireRecipe host_link;             // NIC to leaf; the rate is the NIC's
  WireRecipe trunk;                 // switch to switch
  int tiers = 2;                    // at most; fewer when fewer do
  int hosts_per_leaf = 0;           // rail-optimised: hosts of a group; 0 in fat trees
  std::optional<int> leaf_uplinks;  // otherwise from oversubscription
  std::optional<int> leaf_down;     // beside leaf_uplinks; none: all other ports
  double oversubscription = 1.0;    // leaf ports down / up
  int planes = 1;                   // separate trees; every NIC has a port in each
  // XGFT(h; children; parents) with parallel cables (Ohring et al. 1995, "On generalized fat
  // trees"); SimGrid writes h;m;w;p.
  std::vector<int> children, parents, cables;
};

struct TreeSize {
  int tiers = 1;
  int planes = 1;
  int leaf_ports = 0;  // endpoints per leaf (rail-optimised: hosts per group)
  // Per plane:
  int leaves = 1;
  int leaves_per_pod = 1;
  int pods = 1;
  int spines_per_pod = 0;
  int spine_cables = 0;     // parallel, from a leaf to each spine of its pod
  int cores_per_spine = 0;  // spine j of any pod meets cores j * n .. (j + 1) * n - 1
  int core_cables = 0;      // parallel, from a spine to each of its cores
  bool operator==(const TreeSize&) const = default;

  int leaf_uplinks() const { return spines_per_pod * spine_cables; }
  int spine_uplinks() const { return cores_per_spine * core_cables; }
  std::int64_t spines() const { return std::int64_t{pods} * spines_per_pod; }
  std::int64_t cores() const { return std::int64_t{spines_per_pod} * cores_per_spine; }
  std::int64_t switches() const { return planes * (leaves + spines() + cores()); }
  // Cables between switches.
  std::int64_t trunks() const {
    return planes * (std::int64_t{leaves} * leaf_uplinks() + spines() * spine_uplinks());
  }
};

// The tree whose leaves have `ratio` times the rate of their uplinks hanging on them, by what hosts
// with so many NICs of this rate fill: leaf_uplinks of a sized tree, cables of one by counts. The
// error names the nearest ratios that the ports allow.
Result<TreeRecipe> oversubscribed(TreeRecipe tree, double ratio, int hosts, int nics,
                                  Bandwidth nic);

// `hosts` with `nics` NICs each. The error names the field of the network object and what would
// do.
Result<TreeSize> tree_size(const TreeRecipe& tree, int hosts, int nics);

// Full three-tier fat tree of k-port switches: k^3/4 endpoints, k^2/2 leaves, k^2/2 spines, k^2/4
// cores (Al-Fares et al. 2008). `ports` even.
std::int64_t fat_tree_capacity(int ports);

}  // namespace quintet
