#include "kernels/cuda/cupti/cupti_records.h"

#include <array>
#include <cstdlib>

namespace quintet::kernels::cuda {

namespace {

// The layouts of CUPTI 13.0. Later ones of version 13 only add at the end.
static_assert(sizeof(CUpti_ActivityKernel10) == 216);
static_assert(sizeof(CUpti_ActivityMemcpy6) == 96);
static_assert(sizeof(CUpti_ActivityMemcpyPtoP4) == 96);
static_assert(sizeof(CUpti_ActivityMemset4) == 88);
static_assert(sizeof(CUpti_ActivityExternalCorrelation) == 24);
static_assert(sizeof(CUpti_ActivityOverhead3) == 56);

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

template <class Record>
Activity activity(ActivityKind kind, const Record& record) {
  Activity made;
  made.kind = kind;
  made.start = static_cast<std::int64_t>(record.start);
  made.end = static_cast<std::int64_t>(record.end);
  made.device = record.deviceId;
  made.stream = record.streamId;
  made.call = record.correlationId;
  made.graph_node = record.graphNodeId;
  return made;
}

template <class Record>
Activity with_bytes(ActivityKind kind, const Record& record) {
  Activity made = activity(kind, record);
  made.bytes = record.bytes;
  return made;
}

Activity kernel(const CUpti_ActivityKernel10& record) {
  Activity made = activity(ActivityKind::kernel, record);
  if (record.name != nullptr) made.name = record.name;
  return made;
}

struct CostWord {
  CUpti_ActivityOverheadKind kind;
  const char* words;
};
constexpr std::array cost_words{
    CostWord{CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER, "driver's compiler"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, "flush of records"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION, "CUPTI's instrumentation"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, "CUPTI's resources"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING, "loading of modules"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING, "loading of functions"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL, "full command buffer"},
    CostWord{CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, "request of a buffer"},
};

RecordingCost cost(const CUpti_ActivityOverhead3& record) {
  RecordingCost made{"unknown", static_cast<std::int64_t>(record.start),
                     static_cast<std::int64_t>(record.end)};
  for (const CostWord& word : cost_words)
    if (word.kind == record.overheadKind) made.what = word.words;
  std::free(record.overheadData);  // CUPTI leaves it to its client
  return made;
}

void add_purpose(const CUpti_ActivityExternalCorrelation& record, DeviceRecords& into) {
  if (record.externalKind == purpose_kind)
    into.purposes.push_back({record.correlationId, record.externalId});
}

void add(const CUpti_Activity& record, DeviceRecords& into) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return into.activities.push_back(kernel(as<CUpti_ActivityKernel10>(record)));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return into.activities.push_back(
          with_bytes(ActivityKind::copy, as<CUpti_ActivityMemcpy6>(record)));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return into.activities.push_back(
          with_bytes(ActivityKind::peer_copy, as<CUpti_ActivityMemcpyPtoP4>(record)));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return into.activities.push_back(
          with_bytes(ActivityKind::fill, as<CUpti_ActivityMemset4>(record)));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return add_purpose(as<CUpti_ActivityExternalCorrelation>(record), into);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return into.costs.push_back(cost(as<CUpti_ActivityOverhead3>(record)));
    default:  // of calls, which external correlation needs; of what a later library adds
      return;
  }
}

}  // namespace

void read_records(const CuptiFunctions& cupti, const FullBuffer& buffer, DeviceRecords& into) {
  CUpti_Activity* record = nullptr;
  while (buffer.valid > 0) {
    const CUptiResult code = cupti.next_record(buffer.memory, buffer.valid, &record);
    if (code == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
    if (code != CUPTI_SUCCESS) {
      ++into.broken;
      return;
    }
    add(*record, into);
  }
}

}  // namespace quintet::kernels::cuda
