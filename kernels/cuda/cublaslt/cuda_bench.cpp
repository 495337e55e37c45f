#include "kernels/cuda/cublaslt/cuda_bench.h"

#include <cuda_runtime.h>

#include <map>

#include "kernels/cuda/check.h"
#include "kernels/cuda/launch.h"

namespace quintet::kernels::cuda {

namespace {

// What cuBLAS asks for on Hopper (manual, "cublasSetWorkspace()"); less elsewhere.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

class Watch {
 public:
  Watch() {
    check(cudaEventCreate(&begin_), "an event");
    check(cudaEventCreate(&end_), "an event");
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  double seconds_of(const std::function<void()>& queue_work, cudaStream_t stream) {
    check(cudaEventRecord(begin_, stream), "an event's record");
    queue_work();
    check(cudaEventRecord(end_, stream), "an event's record");
    check(cudaEventSynchronize(end_), "a timed product");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "the time between events");
    return static_cast<double>(milliseconds) / 1e3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

class CudaBench : public ProductBench {
 public:
  ~CudaBench() override {
    for (const auto& [stream, memory] : workspaces_) cudaFree(memory);
  }

  bool is_capturing(const Stream& stream) override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream_of(stream), &status), "a stream's state");
    return status != cudaStreamCaptureStatusNone;
  }
  Workspace workspace(const Stream& stream) override {
    const auto found = workspaces_.find(stream.handle);
    if (found != workspaces_.end()) return {found->second, workspace_bytes};
    if (is_capturing(stream)) return {};
    void* const memory = allocate(workspace_bytes);
    if (memory == nullptr) return {};
    workspaces_.emplace(stream.handle, memory);
    return {memory, workspace_bytes};
  }
  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaSuccess) return memory;
    if (code != cudaErrorMemoryAllocation) check(code, "memory");
    static_cast<void>(cudaGetLastError());  // forgets that there was not enough
    return nullptr;
  }
  void free(void* memory) override { check(cudaFree(memory), "giving memory back"); }
  double seconds_of(const std::function<void()>& queue_work, const Stream& stream) override {
    return Watch().seconds_of(queue_work, stream_of(stream));
  }

 private:
  std::map<void*, void*> workspaces_;  // by stream
};

}  // namespace

std::unique_ptr<ProductBench> cuda_bench() {
  return std::make_unique<CudaBench>();
}

}  // namespace quintet::kernels::cuda
