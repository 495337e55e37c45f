// The names that PyTorch, NCCL and RCCL have for collectives and element types, and how much a
// collective moves in nccl-tests' words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/trace/rank_trace.h"

namespace quintet::pytorch {

// "allreduce", "_allgather_base", "nccl:all_to_all", "reduce_scatter_tensor_coalesced". Nothing:
// none is named, as by "wait".
std::optional<CommunicationKind> communication_named(std::string_view name);

struct ElementType {
  std::string_view name;
  int bytes = 0;
  std::optional<DataType> type;  // none: we have none like it
};
// "Float", "c10::BFloat16", "long int", "f32", "__nv_bfloat16".
std::optional<ElementType> element_type_named(std::string_view name);

struct KernelCommunication {
  CommunicationKind kind = CommunicationKind::unknown;
  std::optional<ElementType> type;  // of those that reduce: others move bytes, whatever they are
  std::string detail;               // "ring LL"
};
// Of a kernel's name as NCCL and RCCL give it; nothing: it is another's.
std::optional<KernelCommunication> communication_of_kernel(std::string_view name);

// What one rank passes and gets, in elements (-1: not known), as the full buffer of a rank: what is
// gathered, what is scattered. Below 0: not known.
std::int64_t full_buffer(CommunicationKind kind, std::int64_t in, std::int64_t out, int ranks);

// Elements of all tensors of "Input Dims": "[[2, 512], [768]]" -> 1792. Nothing: there is no shape.
std::optional<std::int64_t> elements_of_shapes(std::string_view shapes);

}  // namespace quintet::pytorch
