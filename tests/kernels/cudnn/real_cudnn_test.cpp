// The graphs before cuDNN itself: it says for which GPUs it has an engine, without one being here
// ("device property" descriptors, cuDNN 9.11 and later). Needs libcudnn and a libcuda that opens;
// the toolkit's stub will do.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "kernels/cuda/cudnn/attention_graph.h"
#include "kernels/cuda/cudnn/cudnn_library.h"
#include "kernels/cuda/cudnn/cudnn_plan.h"

namespace quintet::kernels::cuda {
namespace {

struct Gpu {
  const char* name;
  int compute_capability, multiprocessors, shared_bytes, l2_bytes;
};

// NVIDIA's datasheets, and the table of compute capabilities in the CUDA programming guide.
constexpr Gpu gpus[] = {{"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 41943040},
                        {"NVIDIA H200", 900, 132, 232448, 62914560},
                        {"NVIDIA B200", 1000, 148, 232448, 132644864}};

std::string in_json(const Gpu& gpu) {
  return R"({"deviceVer": )" + std::to_string(gpu.compute_capability) +
         R"(, "driverVer": 13000, "cudaDeviceId": 0, "maxGridSize": [2147483647, 65535, 65535], )"
         R"("maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536, "multiProcessorCount": )" +
         std::to_string(gpu.multiprocessors) +
         R"(, "warpSize": 32, "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": )" +
         std::to_string(gpu.shared_bytes) +
         R"(, "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, )"
         R"("maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0, )"
         R"("supportCoopLaunch": 1, "smClockRateKHz": 1980000, "memClockRateKHz": 3201000, )"
         R"("l2CacheSize": )" +
         std::to_string(gpu.l2_bytes) + R"(, "deviceName": ")" + gpu.name +
         R"(", "totalGlobalMem": 85899345920})";
}

CudnnDescriptor properties_of(const CudnnFunctions& cudnn, const Gpu& gpu) {
  const std::string text = in_json(gpu);
  CudnnDescriptor made(cudnn, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  made.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
           static_cast<std::int64_t>(text.size()), text.data());
  return std::move(made).finalised("a GPU in words");
}

OpenedCudnn opened() {
  return open_cudnn(library_places(cudnn_name, [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }));
}

bool libcuda_opens() {
  for (const char* const place : {"libcuda.so.1", "/usr/local/cuda/lib64/stubs/libcuda.so"})
    if (dlopen(place, RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
  return false;
}

constexpr auto causal = AttentionMask::causal, full = AttentionMask::none;

// batch, query heads, key heads, queries, keys, head size: training shapes, lengths that divide by
// nothing, one token.
EvenAttention shape(Index batch, Index heads, Index key_heads, Index queries, Index keys,
                    Index size, AttentionMask mask) {
  const Index wide = (heads + 2 * key_heads) * size;
  return {batch, heads, key_heads, queries, keys, size, mask, wide, wide, wide, heads * size};
}

const EvenAttention shapes[] = {
    shape(1, 64, 8, 8192, 8192, 128, causal), shape(8, 25, 25, 1024, 1024, 64, causal),
    shape(16, 12, 12, 512, 512, 64, full),    shape(3, 4, 2, 1000, 1000, 128, causal),
    shape(3, 4, 4, 77, 77, 64, causal),       shape(2, 4, 2, 64, 256, 128, full),
    shape(1, 2, 1, 1, 1, 64, causal)};

// cuDNN's own libraries keep memory to the process's end and are closed before leaks are looked for.
class RealCudnn : public testing::Test {
#if defined(__SANITIZE_ADDRESS__)
  __lsan::ScopedDisabler leaks_are_cudnns_;
#endif
};

TEST_F(RealCudnn, HasEnginesForOurGraphsOnA100H200AndB200) {
  const OpenedCudnn library = opened();
  if (!library.functions) GTEST_SKIP() << "cuDNN cannot be opened: " << library.why_not;
  const CudnnFunctions& cudnn = *library.functions;
  if (cudnn.version() < 91100) GTEST_SKIP() << "cuDNN before 9.11 takes no GPU in words";
  if (!libcuda_opens()) GTEST_SKIP() << "no libcuda.so.1, not even the toolkit's stub";
  for (const Gpu& gpu : gpus) {
    const CudnnDescriptor properties = properties_of(cudnn, gpu);
    const CudnnTarget target{nullptr, &properties};
    for (const EvenAttention& each : shapes)
      for (const auto& graph : {forward_graph(each), backward_graph(each)}) {
        const CudnnDescriptor whole = described(cudnn, target, graph);
        EXPECT_FALSE(engines_for(cudnn, target, whole).empty())
            << gpu.name << ", batch " << each.batch << ", heads " << each.query_heads << '/'
            << each.key_heads << " of " << each.head_size << ", " << each.queries << " queries";
      }
  }
}

// That cuDNN says no at all: a graph it has no engine for.
TEST_F(RealCudnn, HasNoEngineForHeadsOf1024) {
  const OpenedCudnn library = opened();
  if (!library.functions || library.functions->version() < 91100 || !libcuda_opens())
    GTEST_SKIP() << "cuDNN 9.11, or a libcuda.so.1 that opens, is not here";
  const CudnnDescriptor properties = properties_of(*library.functions, gpus[1]);
  const auto made = make_plan(*library.functions, {nullptr, &properties},
                              forward_graph(shape(1, 2, 2, 128, 128, 1024, causal)));
  EXPECT_TRUE(std::holds_alternative<std::string>(made));
}

}  // namespace
}  // namespace quintet::kernels::cuda
