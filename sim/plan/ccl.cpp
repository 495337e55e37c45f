#include "sim/plan/ccl.h"

namespace quintet {

std::string_view name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all-reduce";
    case CollectiveKind::reduce_scatter:
      return "reduce-scatter";
    case CollectiveKind::all_gather:
      return "all-gather";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::reduce:
      return "reduce";
    case CollectiveKind::all_to_all:
      return "all-to-all";
  }
  return {};
}

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return "ll";
    case Protocol::ll128:
      return "ll128";
    case Protocol::simple:
      return "simple";
  }
  return {};
}

std::string_view name_of(TunerVersion version) {
  switch (version) {
    case TunerVersion::nccl_2_28:
      return "nccl-2.28";
    case TunerVersion::nccl_2_30:
      return "nccl-2.30";
  }
  return {};
}

}  // namespace quintet
