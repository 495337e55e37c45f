// Nodes in an order in which each comes after all that it waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

struct OrderedNodes {
  std::vector<std::int32_t> order;  // order[i]: index of node, in the file, of task i
  // Task i is after tasks after[k], k from after_begin[i] up to after_begin[i + 1]: what data_deps
  // name, as they name it, then what ctrl_deps name beside.
  std::vector<std::int32_t> after_begin{0}, after;
  std::vector<std::int32_t> by_data;  // how many of them are of data_deps
  std::int64_t control_left_out = 0;  // ctrl_deps of a file that has some to nodes not there
};

// Of all such orders the one nearest to the file's. Fails at ids that come twice, data_deps that
// name no node, and circles.
Result<OrderedNodes> ordered(const RankNodes& nodes);

}  // namespace quintet::chakra
