// What a node's inputs and attributes say of its shapes and of what it communicates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/pytorch_et/node_fields.h"
#include "traces/trace/group_table.h"
#include "traces/trace/rank_trace.h"

namespace quintet::pytorch_et {

// In the words of PyTorch's profiler: shapes of tensors, nothing of what is none; "Tensor(float)"
// is "float", a list of tensors "TensorList", a number "Scalar", anything else "".
//   [[256, 256], [[], []]] and ["Tensor(float)", "GenericList[Int,Int]"]
//   -> "[[256, 256], []]" and "[float, ]"
struct InputForms {
  std::string shapes, types;
};
InputForms input_forms(std::string_view shapes, std::string_view types);

// Of a node "record_param_comms"; nothing: it asks for nothing, as "wait" does. Its group is told
// to `groups`, except where only an address in the process's memory names it.
std::optional<RecordedCommunication> communication_of(const NodeFields& fields,
                                                      pytorch::GroupTable& groups);

// Of a node "## process_group:init ##": JSON in a string. Empty: it cannot be read.
std::vector<ProcessGroup> groups_at_init(const NodeFields& fields);

}  // namespace quintet::pytorch_et
