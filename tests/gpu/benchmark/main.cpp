// gpu_benchmark [bandwidth|gemm|attention|replicators]...: times the kernels on GPU 0. Without
// arguments: all. gpu_benchmark --find: one line about the GPU. Ends with 3 where there is none.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "engine/device/gpu_module.h"
#include "tests/gpu/benchmark/benchmarks.h"

namespace quintet::gpu_tests {
namespace {

struct Part {
  const char* name;
  void (*run)(kernels::Device&, Timer&);
};

constexpr Part parts[] = {{"bandwidth", benchmark_bandwidth},
                          {"gemm", benchmark_gemm},
                          {"attention", benchmark_attention},
                          {"replicators", benchmark_replicators}};
constexpr int no_gpu = 3;

int wrong_usage(const std::string& given) {
  std::fprintf(stderr,
               "gpu_benchmark: %s is not a part; parts are bandwidth, gemm, attention, "
               "replicators; --find names the GPU\n",
               given.c_str());
  return 2;
}

bool is_asked_for(const Part& part, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return true;
  for (const std::string& name : wanted)
    if (name == part.name) return true;
  return false;
}

bool is_known(const std::string& name) {
  for (const Part& part : parts)
    if (name == part.name) return true;
  return name == "--find";
}

void describe(const kernels::DeviceProperties& p) {
  std::printf("%s, sm_%d, %d multiprocessors, %zu MiB, CUDA driver %s, runtime %s\n",
              p.name.c_str(), p.compute_capability, p.multiprocessors, p.memory_bytes >> 20,
              p.driver.c_str(), p.runtime.c_str());
}

int run(const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted)
    if (!is_known(name)) return wrong_usage(name);
  const auto device = engine::open_gpu(0);
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().text().c_str());
    return no_gpu;
  }
  if (!wanted.empty() && wanted.front() == "--find") {
    describe((*device)->properties());
    return 0;
  }
  Timer timer(**device);
  for (const Part& part : parts)
    if (is_asked_for(part, wanted)) part.run(**device, timer);
  return 0;
}

}  // namespace
}  // namespace quintet::gpu_tests

int main(int count, char** arguments) {
  try {
    return quintet::gpu_tests::run({arguments + 1, arguments + count});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_benchmark: %s\n", failure.what());
    return 1;
  }
}
