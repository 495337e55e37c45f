// What a task of a workload is called in Kineto's terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/workload/workload.h"

namespace quintet::kineto {

// Names of the groups that the rank is in, each its own; empty: it is not in the group.
std::vector<std::string> group_names(const Workload& workload, const WorkloadRank& rank);

// "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)", or the task's own name of what computes.
std::string kernel_name(const SpanInfo& info, const TaskPeers* peers);

// Arguments of a collective or message, without braces; nothing of what has no peers.
std::string communication_arguments(const Workload& workload, const WorkloadRank& rank,
                                    const WorkloadTask& task,
                                    const std::vector<std::string>& groups);
// "nccl:all_reduce"
std::string range_name(const SpanInfo& info, const TaskPeers& peers);

// Of "ring LL, 8 channels"; 0: it is not told.
int channels_in(const std::string& detail);

// Per lane: "stream 20" keeps its number, others get those that are free from 7 on, PyTorch's
// default.
std::vector<std::int64_t> stream_numbers(const Workload& workload);

// "[0, 1]"
std::string rank_list(const std::vector<int>& ranks);

}  // namespace quintet::kineto
