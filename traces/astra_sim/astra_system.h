// ASTRA-sim's system files (astra-sim @ 518bd513): how a rank cuts collectives up, in which order
// it runs the pieces, and what it takes to handle them.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/ccl.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

enum class AstraAlgorithm { ring, direct, halving_doubling, double_binary_tree };
std::string_view name_of(AstraAlgorithm algorithm);  // as their files write it

// "ring", "direct8", "oneHalvingDoubling".
struct AstraImplementation {
  AstraAlgorithm algorithm = AstraAlgorithm::ring;
  bool one_ring = false;  // "one...": all ranks as if in one dimension
  int window = -1;        // of direct: messages in flight at once; -1: all
  bool operator==(const AstraImplementation&) const = default;
};

// Which piece goes first where several wait: of the latest collective, or of the first. EXPLICIT
// takes priorities from the trace.
enum class AstraPolicy { last_in_first_out, first_in_first_out, explicit_priority };
// What an all-reduce over several dimensions is: all of it in each, or a reduce-scatter up the
// dimensions and an all-gather back down.
enum class AstraOptimization { baseline, local_bandwidth_aware };

// The collectives that ASTRA-sim has.
inline constexpr std::array astra_collectives{
    CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
    CollectiveKind::all_to_all};

struct AstraCollective {
  std::vector<AstraImplementation> per_dimension;  // from the network's first; empty: none given
  std::string custom;  // prefix of .et files that say the steps; empty: none
  bool operator==(const AstraCollective&) const = default;
};

struct AstraSystem {
  AstraPolicy policy = AstraPolicy::first_in_first_out;
  int endpoint_nanoseconds = 10;  // before a message leaves, and after it has come
  int active_chunks = 1;          // pieces in work at once in a dimension
  int dataset_splits = 1;         // pieces of a collective; to most_dataset_splits
  int queues_per_dimension = 1;   // of its command line (--num-queues-per-dim), not of the file
  std::array<AstraCollective, 4> collectives;  // in the order of astra_collectives
  AstraOptimization optimization = AstraOptimization::baseline;
  double memory_gigabytes = 0.0;  // a second, of 1e9 bytes each: what adding up takes; 0: not given
  double peak_teraflops = 0.0;    // 0: not given
  bool roofline = false;          // compute takes what its operations and bytes take
  bool replay_only = false;       // everything takes what the trace says
  bool shared_bus = false;        // messages queue for a bus to the memory (LogGP)
  std::string per_node;           // file of steps for single collectives; empty: none
  std::vector<LeftOut> left_out;  // keys that change no time here, or are not known
  bool operator==(const AstraSystem&) const = default;
};
inline constexpr int most_dataset_splits = 4096;

// Nothing where ASTRA-sim has none of that kind.
std::optional<std::size_t> astra_collective_of(CollectiveKind kind);

// Errors name the key, what was found and what would be accepted.
Result<AstraSystem> read_astra_system(const std::filesystem::path& file);
Result<AstraSystem> astra_system_of(const std::string& text, const std::string& where);

// What astra_system_of reads to an equal value but for queues_per_dimension and left_out.
std::string astra_system_text(const AstraSystem& system);

}  // namespace quintet
