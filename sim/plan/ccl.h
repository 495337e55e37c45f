// Layer 2, decisions: which steps a collective takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

enum class Algorithm {
  tree,  // double binary tree over hosts, chains inside
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
  halving_doubling,  // recursive; not NCCL's
  direct,            // everyone to everyone at once; all-to-all
  hierarchical,      // reduce-scatter in, all-reduce across, all-gather out, any number of levels
};

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

std::string_view name_of(CollectiveKind kind);
std::string_view name_of(Algorithm algorithm);
std::string_view name_of(Protocol protocol);
std::string_view name_of(TunerVersion version);

}  // namespace quintet
