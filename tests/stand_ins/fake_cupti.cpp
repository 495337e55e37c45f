#include "tests/stand_ins/fake_cupti.h"

#include <utility>

namespace quintet::kernels::cuda {

namespace {

FakeCupti the_fake;

// 0: no kind that this fake knows.
std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization2);
    default:
      return 0;
  }
}

CUptiResult version(std::uint32_t* found) {
  *found = 130001;
  return CUPTI_SUCCESS;
}

CUptiResult result_text(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_UNKNOWN";
  return CUPTI_SUCCESS;
}

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data) {
  if (the_fake.subscribing != CUPTI_SUCCESS) return the_fake.subscribing;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&the_fake);
  the_fake.subscribed = true;
  the_fake.callback = callback;
  the_fake.callback_data = data;
  return CUPTI_SUCCESS;
}

CUptiResult unsubscribe(CUpti_SubscriberHandle) {
  the_fake.subscribed = false;
  return CUPTI_SUCCESS;
}

CUptiResult enable_callback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                            CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}

// The handle is the number.
CUptiResult graph_node(CUgraphNode node, std::uint64_t* number) {
  *number = reinterpret_cast<std::uint64_t>(node);
  return CUPTI_SUCCESS;
}

CUptiResult set_clock(CUpti_TimestampCallbackFunc clock) {
  the_fake.clock_came_first = the_fake.kinds.empty();
  the_fake.clock = clock;
  return CUPTI_SUCCESS;
}

CUptiResult set_attribute(CUpti_ActivityAttribute attribute, std::size_t* size, void* value) {
  if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER && *size == 1)
    the_fake.zeroed_buffers = *static_cast<std::uint8_t*>(value) != 0;
  return CUPTI_SUCCESS;
}

CUptiResult set_buffers(CUpti_BuffersCallbackRequestFunc request,
                        CUpti_BuffersCallbackCompleteFunc completed) {
  the_fake.request = request;
  the_fake.completed = completed;
  return CUPTI_SUCCESS;
}

CUptiResult enable(CUpti_ActivityKind kind) {
  const auto told = the_fake.enabling.find(kind);
  if (told != the_fake.enabling.end()) return told->second;
  the_fake.kinds.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult disable(CUpti_ActivityKind kind) {
  the_fake.kinds.erase(kind);
  return CUPTI_SUCCESS;
}

CUptiResult enable_call(std::set<CUpti_CallbackId>& calls, CUpti_CallbackId call,
                        std::uint8_t enabled) {
  if (enabled != 0)
    calls.insert(call);
  else
    calls.erase(call);
  return CUPTI_SUCCESS;
}
CUptiResult enable_runtime_call(CUpti_CallbackId call, std::uint8_t enabled) {
  return enable_call(the_fake.runtime_calls, call, enabled);
}
CUptiResult enable_driver_call(CUpti_CallbackId call, std::uint8_t enabled) {
  return enable_call(the_fake.driver_calls, call, enabled);
}

CUptiResult push(CUpti_ExternalCorrelationKind, std::uint64_t purpose) {
  the_fake.purposes.push_back(purpose);
  return CUPTI_SUCCESS;
}

CUptiResult pop(CUpti_ExternalCorrelationKind, std::uint64_t*) {
  if (the_fake.purposes.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  the_fake.purposes.pop_back();
  return CUPTI_SUCCESS;
}

CUptiResult flush(std::uint32_t flag) {
  the_fake.flushes.push_back(flag);
  if (the_fake.flushing == CUPTI_SUCCESS) the_fake.complete();
  return the_fake.flushing;
}

// Without looking past the valid bytes.
CUptiResult next_record(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::size_t at = 0;
  if (*record != nullptr)
    at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer) +
         size_of((*record)->kind);
  if (at == valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_INVALID;
  if (at + sizeof(kind) <= valid) std::memcpy(&kind, buffer + at, sizeof(kind));
  if (size_of(kind) == 0 || at + size_of(kind) > valid) return CUPTI_ERROR_INVALID_KIND;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + at);
  return CUPTI_SUCCESS;
}

CUptiResult dropped(CUcontext, std::uint32_t, std::size_t* count) {
  *count = std::exchange(the_fake.dropped, 0);
  return CUPTI_SUCCESS;
}

void call_back(CUpti_CallbackId what, std::uint64_t node, std::uint64_t original) {
  CUpti_GraphData graph{};
  graph.node = reinterpret_cast<CUgraphNode>(node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &graph;
  the_fake.callback(the_fake.callback_data, CUPTI_CB_DOMAIN_RESOURCE, what, &resource);
}

}  // namespace

void FakeCupti::write(const void* record, std::size_t bytes) {
  if (buffer != nullptr && used + bytes > size) complete();
  std::size_t most = 0;
  if (buffer == nullptr) request(&buffer, &size, &most);
  if (buffer == nullptr) {
    ++dropped;
    return;
  }
  std::memcpy(buffer + used, record, bytes);
  used += bytes;
}

void FakeCupti::complete(std::size_t missing) {
  if (buffer == nullptr) return;
  completed(nullptr, 0, std::exchange(buffer, nullptr), size, std::exchange(used, 0) - missing);
}

void FakeCupti::node_created(std::uint64_t node) {
  call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, node, 0);
}

void FakeCupti::node_cloned(std::uint64_t node, std::uint64_t original) {
  call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node, original);
}

FakeCupti& fresh_cupti() {
  the_fake = {};
  return the_fake;
}

CuptiFunctions fake_functions() {
  return {version,
          result_text,
          subscribe,
          unsubscribe,
          enable_callback,
          graph_node,
          set_clock,
          set_attribute,
          set_buffers,
          enable,
          disable,
          enable_runtime_call,
          enable_driver_call,
          push,
          pop,
          flush,
          next_record,
          dropped};
}

CUpti_ActivityKernel10 kernel_record(std::uint32_t correlation, std::uint64_t start,
                                     std::uint64_t end, const char* name) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.name = name;
  return record;
}

CUpti_ActivityExternalCorrelation purpose_record(std::uint32_t correlation, std::uint64_t purpose) {
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  record.externalId = purpose;
  record.correlationId = correlation;
  return record;
}

CUpti_ActivityAPI call_record(std::uint32_t correlation, std::uint64_t start, std::uint64_t end) {
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  return record;
}

}  // namespace quintet::kernels::cuda
