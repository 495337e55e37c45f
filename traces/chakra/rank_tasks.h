// The tasks of one rank, of nodes of other programs.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"
#include "traces/chakra/group_members.h"
#include "traces/chakra/matching.h"
#include "traces/chakra/node_order.h"
#include "traces/chakra/workload_tables.h"

namespace quintet::chakra {

// What was read of all ranks, that is said at the end.
struct Peculiarities {
  std::int64_t calls_on_cpu = 0;     // collectives with is_cpu_op
  std::int64_t other_kinds = 0;      // gather, scatter, barrier
  std::int64_t unknown_kinds = 0;    // comm_type that the schema does not have, or none
  std::int64_t some_dimensions = 0;  // involved_dim
  std::int64_t invalid = 0;          // nodes of type 0, which ASTRA-sim skips
  std::int64_t control_left_out = 0;
  std::int64_t unknown_types = 0;
};

class RankTasks {
 public:
  RankTasks(WorkloadTables& tables, const GroupsInUse& groups,
            const std::unordered_map<std::int64_t, std::int32_t>& rank_index)
      : tables_(tables), groups_(groups), rank_index_(rank_index) {}

  // Appends whom its tasks may meet to `meetings`.
  Result<WorkloadRank> of(const RankNodes& nodes, std::vector<Meeting>& meetings);
  const Peculiarities& peculiarities() const { return peculiarities_; }

 private:
  WorkloadTask task(const Node& node);
  SpanInfo info(const Node& node);
  Meeting meeting(const Node& node, std::size_t rank, std::size_t task,
                  std::int64_t own_rank) const;

  WorkloadTables& tables_;
  const GroupsInUse& groups_;
  const std::unordered_map<std::int64_t, std::int32_t>& rank_index_;
  Peculiarities peculiarities_;
};

}  // namespace quintet::chakra
