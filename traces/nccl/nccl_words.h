// NCCL's names for what it does, as they stand in traces of others: kernels, calls, element types.
// Facts from NVIDIA/nccl src/include/nccl.h.in (types by number), src/device/generate.py (kernels)
// and src/collectives.cc (what `count` counts), of RCCL where it differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/trace/rank_trace.h"

namespace quintet {

// An element type, of which DataType need not know: ncclInt64 has 8 bytes and is none of ours.
struct NcclType {
  std::string_view name;  // "int64"
  int bytes = 0;
  std::optional<DataType> type;
};

// By NCCL's number: 0 is int8. None: no such type.
std::optional<NcclType> nccl_type(std::int64_t number);
// By a name that programs write: "ncclFloat32", "float", "Half", "bf16", "__nv_bfloat16", "i64".
std::optional<NcclType> nccl_type(std::string_view name);

// "ncclAllReduce", "AllReduce", "allreduce", "all_reduce", "_allgather_base", "reduce_scatter_v":
// letters only count, whatever their case. `unknown` for any other name.
CommunicationKind communication_named(std::string_view name);

// Kind, type and detail of a kernel of NCCL or RCCL by its name; none: it is no such kernel.
std::optional<RecordedCommunication> communication_of_kernel(std::string_view name);

// What the calls count (`count` times the type's bytes; of an all-gather what a rank gives, of a
// reduce-scatter what it gets, of an all-to-all what it sends to each) as RecordedCommunication
// has it. `ranks` 0 or less: not known; then sizes that depend on it stay unknown, and without a
// type the elements.
void set_counted(RecordedCommunication& communication, std::int64_t bytes,
                 const std::optional<NcclType>& type, std::int64_t ranks);

}  // namespace quintet
