// Layer 2, decisions: which steps a collective takes.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/plan/parallelism.h"

namespace quintet {

enum class CollectiveKind {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  all_to_all,
};

// NCCL's own come first, by its numbers (NCCL_ALGO_TREE 0 to NCCL_ALGO_PAT 6); then ours. What each
// can do, its schedule, traffic and time stand in its file of sim/ccl/algorithms.
enum class Algorithm {
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
  halving_doubling,
  direct,
  hierarchical,
  multi_ring,
  in_network,
  parameter_server,
  byteps,
};

constexpr std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::tree:
      return "tree";
    case Algorithm::ring:
      return "ring";
    case Algorithm::collnet_direct:
      return "collnet-direct";
    case Algorithm::collnet_chain:
      return "collnet-chain";
    case Algorithm::nvls:
      return "nvls";
    case Algorithm::nvls_tree:
      return "nvls-tree";
    case Algorithm::pat:
      return "pat";
    case Algorithm::halving_doubling:
      return "halving-doubling";
    case Algorithm::direct:
      return "direct";
    case Algorithm::hierarchical:
      return "hierarchical";
    case Algorithm::multi_ring:
      return "multi-ring";
    case Algorithm::in_network:
      return "in-network";
    case Algorithm::parameter_server:
      return "parameter-server";
    case Algorithm::byteps:
      return "byteps";
  }
  return {};
}

inline constexpr int nccl_algorithm_count = static_cast<int>(Algorithm::pat) + 1;

// All there are: those that have a name.
inline constexpr int algorithm_count = [] {
  int count = 0;
  while (!name_of(static_cast<Algorithm>(count)).empty()) ++count;
  return count;
}();
inline constexpr std::array all_algorithms =
    []<int... number>(std::integer_sequence<int, number...>) {
  return std::array{static_cast<Algorithm>(number)...};
}
(std::make_integer_sequence<int, algorithm_count>{});

enum class Protocol { ll, ll128, simple };

// Which tables choose when the plan does not force: NCCL's own, by version.
enum class TunerVersion { nccl_2_28, nccl_2_30 };

// A row that forces part of a choice for one kind of collective on one axis.
struct CollectiveRule {
  std::optional<CollectiveKind> kind;  // none: all kinds
  std::optional<Axis> axis;            // none: all axes
  std::optional<Algorithm> algorithm;  // none: the tuner chooses among the others given
  std::optional<Protocol> protocol;
  std::optional<int> channels;
  bool operator==(const CollectiveRule&) const = default;
};

struct Ccl {
  TunerVersion tuner = TunerVersion::nccl_2_28;
  std::vector<CollectiveRule> rules;  // the first that matches wins, field by field
  bool overlap_gradients = true;      // buckets leave while backward goes on
  bool overlap_parameters = true;     // sharded: gather of the next layer under this one's compute
  bool overlap_tensor = false;        // tensor-axis collectives in pieces under their GEMM
  Bytes bucket{0};                    // gradient bucket; 0: one bucket per stage and chunk
  bool operator==(const Ccl&) const = default;
};

// As messages write them: "all-reduce".
std::string_view name_of(CollectiveKind kind);
std::string_view name_of(Protocol protocol);
std::string_view name_of(TunerVersion version);

}  // namespace quintet
