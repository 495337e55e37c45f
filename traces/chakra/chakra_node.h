// A node of a Chakra file as our own value, whichever of the file's forms it was read from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/workload/workload.h"

namespace quintet::chakra {

// A number beyond is no rank's: a date, in the name of a file.
inline constexpr int most_ranks = 1 << 20;

enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective
};

// By their numbers in files.
enum class CollectiveType : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier
};
inline constexpr int collective_types = static_cast<int>(CollectiveType::barrier) + 1;

// What only files that Quintet wrote say of a node. Attributes that are not there: as here.
struct OwnFacts {
  std::int64_t info = -1;   // index into the tables' infos; -1: not ours
  std::int64_t peers = -1;  // index into the rank's peers; -1: the next
  std::int64_t group = -1, sequence = -1, tag = 0;
  DataType type = DataType::fp32;
  std::int64_t layer = -1, micro_batch = -1, chunk = 0, bucket = -1;
  std::int64_t work = -1, start = 0, moving = 0, end = 0;  // picoseconds
  std::optional<double> flops, touched;                    // where num_ops and tensor_size round
};

struct Node {
  std::uint64_t id = 0;
  std::string name;
  NodeType type = NodeType::invalid;
  bool on_cpu = false;
  bool on_some_dimensions = false;  // involved_dim leaves some of the network's out
  std::vector<std::uint64_t> data_after, control_after;
  std::uint64_t duration_micros = 0;
  std::int64_t operations = 0, tensor_size = 0, size = 0;
  std::int64_t collective = -1;                // -1: not said
  std::int64_t source = -1, destination = -1;  // ranks of the job; -1: not said
  std::int64_t tag = 0;
  std::int64_t stream = -1;
  std::string group;  // pg_name
  OwnFacts own;
};

// What all files of a workload that Quintet wrote share.
struct Tables {
  std::string name;
  int world_size = 0;
  bool recorded = false, lanes_in_order = true;
  Instant end;
  std::vector<LaneInfo> lanes;
  std::vector<SpanInfo> infos;
  std::vector<WorkloadGroup> groups;
  std::vector<std::int32_t> ranks;
  std::vector<WorkloadRemark> remarks;
  bool operator==(const Tables&) const = default;
};

struct NamedGroup {
  std::string name;
  std::vector<std::int64_t> ranks;  // of the job; empty: all
};

struct RankNodes {
  std::string where;  // the file
  int rank = -1;      // of the job, as the file's name says; -1: it does not
  std::string workload_name;
  std::vector<Node> nodes;
  std::vector<NamedGroup> groups;  // that nodes of metadata tell
  std::int64_t unknown_types = 0;  // nodes of types that the schema does not have
  std::optional<Tables> tables;    // Quintet's own
  std::int64_t stage = 0;
  std::string role, host;
};

}  // namespace quintet::chakra
