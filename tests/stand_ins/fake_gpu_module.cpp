// A module as kernels/gpu_module.h has it, of a stand-in for a GPU: programs load it where
// they would load the real one (QUINTET_CUDA_MODULE), and train on it. Its kernels compute nothing;
// a product takes as long as a processor of 50 GFLOP/s would, a millisecond at most, so that times
// are known from below.
#include <algorithm>
#include <chrono>

#include "kernels/gpu_module.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet::kernels {
namespace {

class IdleKernels : public Kernels {
 public:
#define QUINTET_OPERATOR(name, Arguments)           \
  void name(const Arguments& a, Stream&) override { \
    take_time(a);                                   \
  }
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR

 private:
  template <class Arguments>
  void take_time(const Arguments&) {}
  void take_time(const Gemm& a) {
    using Clock = std::chrono::steady_clock;
    constexpr double rate = 50e9, longest = 1e-3;
    const double work = 2.0 * static_cast<double>(a.rows) * static_cast<double>(a.columns) *
                        static_cast<double>(a.depth);
    const auto until = Clock::now() + std::chrono::duration<double>(std::min(work / rate, longest));
    while (Clock::now() < until) {
    }
  }
};

}  // namespace

std::unique_ptr<Kernels> reference_kernels() {
  return std::make_unique<IdleKernels>();
}

}  // namespace quintet::kernels

namespace quintet::engine {
namespace {

// Belongs to this process: what every device of it does, whoever asks for a recorder.
FakeRecorder& recorder() {
  static FakeRecorder of_process;
  return of_process;
}

class OpenedFakeRecorder : public kernels::ActivityRecorder {
 public:
  std::string in_words() const override { return recorder().in_words(); }
  void begin(std::uint64_t purpose) override { recorder().begin(purpose); }
  void end() override { recorder().end(); }
  kernels::DeviceRecords collect() override { return recorder().collect(); }
  kernels::DeviceRecords stop() override { return recorder().stop(); }
};

kernels::cuda::FoundGpus find_gpus() {
  return {1, {}};
}

std::unique_ptr<kernels::Device> open(int) {
  constexpr std::size_t memory = std::size_t{96} << 20;
  return fake_device({.memory_bytes = memory, .recorder = &recorder()});
}

kernels::OpenedRecorder open_recorder() {
  return {std::make_unique<OpenedFakeRecorder>(), {}};
}

constexpr kernels::cuda::Module module{kernels::cuda::module_version, find_gpus, open,
                                       open_recorder};

}  // namespace
}  // namespace quintet::engine

extern "C" __attribute__((visibility("default"))) const quintet::kernels::cuda::Module*
quintet_cuda_module() {
  return &quintet::engine::module;
}
