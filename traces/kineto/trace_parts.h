// A trace while its events come, in the file's order, and what is linked when all are there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/kineto/event_kinds.h"
#include "traces/kineto/row_table.h"
#include "traces/trace/communication_names.h"
#include "traces/trace/group_table.h"
#include "traces/trace/name_table.h"
#include "traces/trace/rank_trace.h"

namespace quintet::kineto {

// What a "cuda_sync" event tells of the call with its correlation.
struct SyncRecord {
  TraceEvent event;  // row: where it is shown if its call was not recorded
  RecordedWait wait;
};

// An end of an arrow, from a launch to what it launched.
struct FlowEnd {
  std::int64_t id = 0, at = 0;
  std::int32_t row = 0;
  bool is_start = false;
};

// "nccl:all_reduce" on a thread: what older files know of a collective.
struct NamedRange {
  std::int32_t row = 0;
  std::int64_t start = 0, end = 0;
  RecordedCommunication facts;
  int element_bytes = 0;  // 0: not known
};

struct TraceParts {
  RankTrace trace;  // without names, rows and groups
  NameTable names;
  RowTable rows;
  pytorch::GroupTable groups;
  std::vector<SyncRecord> syncs;
  std::vector<NamedRange> ranges;
  // Kernels that are named as communicating and say nothing of what: indices into trace.events.
  std::vector<std::int32_t> silent_kernels, silent_operations;
  std::vector<FlowEnd> flows;
  bool flows_needed = true;              // no event of a device has told its correlation
  std::int64_t without_correlation = 0;  // events of a device
  // PyTorch's own numbers of operations: "External id" and "Record function id".
  struct OperationIds {
    std::int64_t external = 0, record = 0;
  };
  std::vector<OperationIds> operation_ids;
  bool has_records = true;  // each operation has had a "Record function id" above 0
  std::int64_t base_nanoseconds = 0;
  std::map<std::string, std::int64_t, std::less<>> left_out;
  std::int64_t arrows = 0, metadata = 0;  // events that are no TraceEvent, and are used
};

}  // namespace quintet::kineto
