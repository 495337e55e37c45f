#include "kernels/cuda/device/cuda_device.h"

#include <cuda_runtime.h>

#include <cstdlib>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cublaslt/product_library.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/cudnn/attention_library.h"
#include "kernels/cuda/launch.h"

namespace quintet::kernels::cuda {

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// As nvidia-smi -L prints it, without its dashes.
std::string text_of(const cudaUUID_t& identity) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (const char byte : identity.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += {digits[value / 16], digits[value % 16]};
  }
  return text;
}

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

cudaEvent_t event_of(StreamEvent event) {
  return static_cast<cudaEvent_t>(event.handle);
}

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int number) : number_(number), products_(variable), attentions_(variable) {
    check(cudaSetDevice(number), "the GPU");
  }

  void enter_thread() override { check(cudaSetDevice(number_), "the GPU"); }

  DeviceProperties properties() const override;
  std::size_t free_memory() const override {
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "free memory");
    return free;
  }
  std::unique_ptr<Kernels> make_kernels() override {
    return std::make_unique<CudaKernels>(products_.make_product(), attentions_.make_attention());
  }

  void* allocate(std::size_t bytes) override { return memory_or_null<cudaMalloc>(bytes); }
  void free(void* memory) override { forget(cudaFree(memory)); }
  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t code = cudaHostAlloc(&memory, bytes, cudaHostAllocDefault);
    return given(code, memory);
  }
  void free_pinned(void* memory) override { forget(cudaFreeHost(memory)); }

  using Device::make_event;
  using Device::make_stream;
  Stream make_stream(Urgency urgency) override {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "the priorities of streams");
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                       urgency == Urgency::urgent ? greatest : least),
          "a stream");
    return {stream};
  }
  void destroy(Stream stream) override { forget(cudaStreamDestroy(stream_of(stream))); }
  StreamEvent make_event(EventTimes times) override {
    cudaEvent_t event = nullptr;
    const bool kept = times == EventTimes::kept;
    check(cudaEventCreateWithFlags(&event, kept ? cudaEventDefault : cudaEventDisableTiming),
          "an event");
    return {event};
  }
  void destroy(StreamEvent event) override { forget(cudaEventDestroy(event_of(event))); }

  void copy(void* to, const void* from, std::size_t bytes, const Stream& stream) override {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)), "a copy");
  }
  void copy_rows(const RowsCopy& rows, const Stream& stream) override {
    check(cudaMemcpy2DAsync(rows.to, rows.to_stride, rows.from, rows.from_stride, rows.bytes,
                            rows.rows, cudaMemcpyDefault, stream_of(stream)),
          "a copy of rows");
  }
  void zero(void* memory, std::size_t bytes, const Stream& stream) override {
    check(cudaMemsetAsync(memory, 0, bytes, stream_of(stream)), "a fill");
  }

  void record(StreamEvent event, const Stream& stream) override {
    check(cudaEventRecord(event_of(event), stream_of(stream)), "an event's record");
  }
  void wait(const Stream& stream, StreamEvent event) override {
    check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "a stream's wait");
  }
  bool has_happened(StreamEvent event) override {
    const cudaError_t code = cudaEventQuery(event_of(event));
    if (code == cudaErrorNotReady) return false;
    check(code, "an event's state");
    return true;
  }
  double seconds_between(StreamEvent first, StreamEvent second) override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, event_of(first), event_of(second)),
          "the time between events");
    return static_cast<double>(milliseconds) / 1e3;
  }
  void synchronise(const Stream& stream) override {
    check(cudaStreamSynchronize(stream_of(stream)), "a stream's work");
  }

  void begin_capture(const Stream& stream) override {
    check(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal),
          "the begin of a capture");
  }
  Graph end_capture(const Stream& stream) override;
  void launch(Graph graph, const Stream& stream) override {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.handle), stream_of(stream)),
          "a graph's launch");
  }
  void destroy(Graph graph) override {
    forget(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph.handle)));
  }

 private:
  // Destructors give back, also after a kernel has failed, when every answer is that failure.
  static void forget(cudaError_t) { static_cast<void>(cudaGetLastError()); }
  static void* given(cudaError_t code, void* memory) {
    if (code != cudaErrorMemoryAllocation) check(code, "memory");
    static_cast<void>(cudaGetLastError());  // forgets that there was not enough
    return code == cudaSuccess ? memory : nullptr;
  }
  template <cudaError_t (*take)(void**, std::size_t)>
  static void* memory_or_null(std::size_t bytes) {
    void* memory = nullptr;
    // Also while a stream of this thread is captured: what is kept only names the memory.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode), "a capture's mode");
    const cudaError_t code = take(&memory, bytes);
    check(cudaThreadExchangeStreamCaptureMode(&mode), "a capture's mode");
    return given(code, memory);
  }

  int number_;
  ProductLibrary products_;
  AttentionLibrary attentions_;
};

DeviceProperties CudaDevice::properties() const {
  cudaDeviceProp found{};
  check(cudaGetDeviceProperties(&found, number_), "the GPU's properties");
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "the driver's version");
  check(cudaRuntimeGetVersion(&runtime), "the runtime's version");
  return {found.name,           found.major * 10 + found.minor, found.multiProcessorCount,
          found.totalGlobalMem, version_text(driver),           version_text(runtime),
          products_.in_words(), attentions_.in_words(),         text_of(found.uuid)};
}

Graph CudaDevice::end_capture(const Stream& stream) {
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(stream_of(stream), &captured), "the end of a capture");
  cudaGraphExec_t ready = nullptr;
  const cudaError_t code = cudaGraphInstantiate(&ready, captured, 0);
  check(cudaGraphDestroy(captured), "a captured graph");
  check(code, "a graph's instance");
  return {ready};
}

}  // namespace

std::unique_ptr<Device> open_device(int number) {
  return std::make_unique<CudaDevice>(number);
}

}  // namespace quintet::kernels::cuda
