#include "kernels/cuda/cupti/cupti_recorder.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "kernels/cuda/cupti/cupti_library.h"
#include "kernels/cuda/cupti/cupti_records.h"
#include "kernels/cuda/device_recorder.h"

namespace quintet::kernels::cuda {

namespace {

constexpr std::array kinds{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                           CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                           CUPTI_ACTIVITY_KIND_MEMCPY,
                           CUPTI_ACTIVITY_KIND_MEMCPY2,
                           CUPTI_ACTIVITY_KIND_MEMSET,
                           CUPTI_ACTIVITY_KIND_OVERHEAD};

// External correlation hangs on the records of calls, which cost most: only of those that ask for
// work on a device. The runtime is called by us and by libraries that bring one of their own; some
// libraries call the driver.
constexpr CUpti_CallbackId runtime_calls[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
};
constexpr CUpti_CallbackId driver_calls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
};

// CUPTI's callbacks for buffers have no pointer of ours.
std::atomic<RecordBuffers*> buffers_of_process = nullptr;

// CUPTI may write to the end of the process to what it has when its recorder goes. (Were it no
// atomic, a compiler would leave out a variable that nobody reads, and leak checkers complain.)
std::atomic<RecordBuffers*> left_to_cupti = nullptr;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  RecordBuffers* const buffers = buffers_of_process.load();
  *buffer = buffers == nullptr ? nullptr : buffers->take();
  *size = *buffer == nullptr ? 0 : buffers->bytes();
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  if (RecordBuffers* const buffers = buffers_of_process.load(); buffers != nullptr)
    buffers->bring_back({buffer, valid});
}

// The clock of the host's own spans. CUPTI converts the GPU's times to it by interpolation.
std::uint64_t CUPTIAPI steady_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// These are this thread's, innermost last: CUPTI keeps the same stack but does not show it to
// callbacks.
thread_local std::vector<std::uint64_t> purposes_of_thread;

// Which purpose nodes of graphs were captured for. A graph that is instantiated consists of clones,
// and records name those; instantiation also creates nodes, when no purpose is under way.
class GraphNodes {
 public:
  void created(std::uint64_t node) {
    if (purposes_of_thread.empty()) return;
    const std::scoped_lock lock(mutex_);
    purposes_[node] = purposes_of_thread.back();
  }
  void cloned(std::uint64_t node, std::uint64_t original) {
    const std::scoped_lock lock(mutex_);
    const auto found = purposes_.find(original);
    if (found != purposes_.end()) purposes_[node] = found->second;
  }
  void resolve(std::vector<Activity>& activities) const {
    const std::scoped_lock lock(mutex_);
    for (Activity& each : activities) {
      const auto found = purposes_.find(each.graph_node);
      if (found != purposes_.end()) each.captured_for = found->second;
    }
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> purposes_;
};

class CuptiRecorder : public ActivityRecorder {
 public:
  CuptiRecorder(const CuptiFunctions& cupti, const BufferCount& count)
      : cupti_(cupti), buffers_(std::make_unique<RecordBuffers>(count)) {}
  ~CuptiRecorder() override;

  // Why not, in plain words; empty: it records.
  std::string start();

  std::string in_words() const override {
    std::uint32_t version = 0;
    cupti_.version(&version);
    return "CUPTI " + library_version_text(version);
  }
  void begin(std::uint64_t purpose) override;
  void end() override;
  DeviceRecords collect() override;
  DeviceRecords stop() override;

 private:
  static void CUPTIAPI on_resource(void* self, CUpti_CallbackDomain, CUpti_CallbackId what,
                                   const void* data);
  void on_node(CUpti_CallbackId what, const CUpti_GraphData& data);
  CUptiResult subscribe();
  CUptiResult set_up_records();
  CUptiResult enable_all();
  DeviceRecords read(std::uint32_t flush_flag);

  const CuptiFunctions cupti_;
  std::unique_ptr<RecordBuffers> buffers_;
  GraphNodes nodes_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> recording_ = false;
};

void CuptiRecorder::on_resource(void* self, CUpti_CallbackDomain, CUpti_CallbackId what,
                                const void* data) {
  const auto* const resource = static_cast<const CUpti_ResourceData*>(data);
  static_cast<CuptiRecorder*>(self)->on_node(
      what, *static_cast<const CUpti_GraphData*>(resource->resourceDescriptor));
}

void CuptiRecorder::on_node(CUpti_CallbackId what, const CUpti_GraphData& data) {
  std::uint64_t node = 0, original = 0;
  if (cupti_.graph_node(data.node, &node) != CUPTI_SUCCESS) return;
  if (what == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) nodes_.created(node);
  if (what == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED &&
      cupti_.graph_node(data.originalNode, &original) == CUPTI_SUCCESS)
    nodes_.cloned(node, original);
}

CUptiResult CuptiRecorder::subscribe() {
  if (const auto code = cupti_.subscribe(&subscriber_, on_resource, this)) {
    subscriber_ = nullptr;
    return code;
  }
  for (const auto what :
       {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    if (const auto code = cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, what))
      return code;
  return CUPTI_SUCCESS;
}

// The clock before any kind is enabled, as CUPTI demands.
CUptiResult CuptiRecorder::set_up_records() {
  if (const auto code = cupti_.set_clock(steady_nanoseconds)) return code;
  std::uint8_t zeroed = 1;  // or CUPTI does it, in the threads that launch
  std::size_t size = sizeof(zeroed);
  if (const auto code =
          cupti_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed))
    return code;
  return cupti_.set_buffers(give_buffer, take_buffer);
}

CUptiResult CuptiRecorder::enable_all() {
  for (const CUpti_ActivityKind kind : kinds)
    if (const auto code = cupti_.enable(kind)) return code;
  for (const CUpti_CallbackId call : runtime_calls)
    if (const auto code = cupti_.enable_runtime_call(call, 1)) return code;
  for (const CUpti_CallbackId call : driver_calls)
    if (const auto code = cupti_.enable_driver_call(call, 1)) return code;
  return CUPTI_SUCCESS;
}

std::string CuptiRecorder::start() {
  RecordBuffers* none = nullptr;
  if (!buffers_of_process.compare_exchange_strong(none, buffers_.get()))
    return "this process records already";
  CUptiResult code = subscribe();
  if (code == CUPTI_SUCCESS) code = set_up_records();
  recording_ = code == CUPTI_SUCCESS;  // else what is on is another's
  if (recording_) code = enable_all();
  return code == CUPTI_SUCCESS ? std::string() : cupti_refusal(cupti_, code);
}

// Never cuptiFinalize: it is known to crash beside graphs.
CuptiRecorder::~CuptiRecorder() {
  if (recording_) stop();
  RecordBuffers* mine = buffers_.get();
  buffers_of_process.compare_exchange_strong(mine, nullptr);
  if (subscriber_ != nullptr) cupti_.unsubscribe(subscriber_);
  if (buffers_->outside() > 0) left_to_cupti = buffers_.release();
}

void CuptiRecorder::begin(std::uint64_t purpose) {
  if (!recording_) return;
  purposes_of_thread.push_back(purpose);
  cupti_.push(purpose_kind, purpose);
}

void CuptiRecorder::end() {
  if (!recording_) return;
  if (!purposes_of_thread.empty()) purposes_of_thread.pop_back();
  cupti_.pop(purpose_kind, nullptr);
}

DeviceRecords CuptiRecorder::read(std::uint32_t flush_flag) {
  DeviceRecords records;
  if (const auto code = cupti_.flush(flush_flag))
    records.trouble = "CUPTI did not give up its records: " + cupti_refusal(cupti_, code);
  for (const FullBuffer& buffer : buffers_->full()) {
    read_records(cupti_, buffer, records);
    buffers_->reuse(buffer);
  }
  nodes_.resolve(records.activities);
  std::size_t dropped = 0;
  if (cupti_.dropped(nullptr, 0, &dropped) == CUPTI_SUCCESS) records.dropped = dropped;
  return records;
}

DeviceRecords CuptiRecorder::collect() {
  return recording_ ? read(0) : DeviceRecords();
}

DeviceRecords CuptiRecorder::stop() {
  if (!recording_.exchange(false)) return {};
  purposes_of_thread.clear();
  for (const CUpti_CallbackId call : driver_calls) cupti_.enable_driver_call(call, 0);
  for (const CUpti_CallbackId call : runtime_calls) cupti_.enable_runtime_call(call, 0);
  for (const CUpti_ActivityKind kind : kinds) cupti_.disable(kind);
  return read(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

OpenedRecorder make_cupti_recorder(const CuptiFunctions& cupti, const BufferCount& count) {
  auto made = std::make_unique<CuptiRecorder>(cupti, count);
  std::string why_not = made->start();
  if (!why_not.empty()) return {nullptr, "CUPTI cannot be used: " + why_not};
  return {std::move(made), {}};
}

OpenedRecorder open_recorder() {
  const OpenedCupti opened = open_cupti(cupti_places(variable));
  if (!opened.functions) return {nullptr, "CUPTI is not here: " + opened.why_not};
  return make_cupti_recorder(*opened.functions);
}

}  // namespace quintet::kernels::cuda
