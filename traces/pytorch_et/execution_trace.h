// PyTorch's execution traces (ET): which operations one process ran, in what, with which shapes and
// collectives. They tell no times: what a profiler recorded beside them does (join.h). Schemas
// 1.0.1 (fields beside each other) to 1.1.1-chakra.0.0.4 (fields in "attrs"); .json or packed.
// Source: facebookresearch/param et_replay/et_replay_utils.py,
// pytorch torch/csrc/profiler/standalone/execution_trace_observer.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

struct ExecutionNode {
  std::int64_t id = 0;
  std::int64_t parent = -1;          // id of the node in which it ran; -1: of none
  std::int64_t forward_parent = -1;  // id of the node whose backward it is; -1: it is none
  std::int64_t record = -1;    // "rf_id", counted in order of beginning; -1: of a thread or process
  std::int64_t sequence = -1;  // of autograd; -1: none
  std::int32_t thread = -1, forward_thread = -1;  // numbered by PyTorch from 1; -1: none
  std::int32_t name = 0;                          // index into ExecutionTrace::names
  // Of inputs, as RecordedOperation has them: index into names, -1: there are no inputs.
  std::int32_t shapes = -1, types = -1;
  std::int32_t communication =
      -1;  // index into ExecutionTrace::communications; -1: it asks for none
  bool operator==(const ExecutionNode&) const = default;
};

struct ExecutionTrace {
  std::string file;    // it was read from
  std::string schema;  // "1.0.1"
  std::vector<std::string> names;
  std::vector<ProcessGroup> groups;
  std::vector<ExecutionNode> nodes;  // in the file's order: a node may come before its parent
  std::vector<RecordedCommunication> communications;
  std::vector<LeftOut> left_out;
  bool operator==(const ExecutionTrace&) const = default;
};

// By what the first 4 KiB of the file hold, unpacked.
bool is_execution_trace(std::string_view beginning);

// Read in pieces, as read_kineto() does. Fails where the file cannot be read, is no execution trace
// or is cut off in the middle of a node: with the byte and the node.
Result<ExecutionTrace> read_execution_trace(const std::filesystem::path& file,
                                            const ReadingProgress& progress = {});
Result<ExecutionTrace> parse_execution_trace(std::string_view text, const std::string& where,
                                             const ReadingProgress& progress = {});

}  // namespace quintet
