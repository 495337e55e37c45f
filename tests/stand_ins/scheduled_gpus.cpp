// A module as kernels/gpu_module.h has it, of two stand-ins for GPUs: nothing is computed,
// but all that is queued on a stream takes its time after what was queued before, as on a GPU,
// while the host goes on. Programs load it where they would load the real one
// (QUINTET_CUDA_MODULE).
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "kernels/gpu_module.h"
#include "tests/stand_ins/scheduled_stream.h"

namespace quintet::kernels {
namespace {

using calibrate::now;
using calibrate::ScheduledStream;

constexpr std::int64_t kernel_time = 50'000, bytes_per_microsecond = 10'000;  // 50 us, 10 GB/s

ScheduledStream& of(const Stream& stream) {
  return *static_cast<ScheduledStream*>(stream.handle);
}

void occupy(const Stream& stream, std::int64_t time) {
  if (stream.handle == nullptr) return;
  of(stream).free_at = std::max(now(), of(stream).free_at) + time;
}

std::int64_t time_of(std::size_t bytes) {
  return static_cast<std::int64_t>(bytes) * 1000 / bytes_per_microsecond;
}

class ScheduledKernels final : public Kernels {
 public:
#define QUINTET_OPERATOR(name, Arguments)                \
  void name(const Arguments&, Stream& stream) override { \
    occupy(stream, kernel_time);                         \
  }
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR
};

class ScheduledGpu final : public Device {
 public:
  explicit ScheduledGpu(int number) : number_(number) {}

  DeviceProperties properties() const override {
    DeviceProperties properties;
    properties.name = "scheduled GPU";
    properties.compute_capability = 90;
    properties.multiprocessors = 132;
    properties.memory_bytes = free_memory();
    properties.driver = properties.runtime = "none";
    properties.identity = "scheduled GPU " + std::to_string(number_);
    return properties;
  }
  std::size_t free_memory() const override { return std::size_t{80} << 30; }
  std::unique_ptr<Kernels> make_kernels() override { return std::make_unique<ScheduledKernels>(); }

  // Nobody touches it.
  void* allocate(std::size_t bytes) override {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    sizes_[memory] = bytes;
    return memory;
  }
  void free(void* memory) override {
    if (memory != nullptr) munmap(memory, sizes_.at(memory));
  }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void free_pinned(void* memory) override { free(memory); }

  Stream make_stream(Urgency) override { return {new_place()}; }
  void destroy(Stream) override {}
  StreamEvent make_event(EventTimes) override { return {new_place()}; }
  void destroy(StreamEvent) override {}

  void copy(void*, const void*, std::size_t bytes, const Stream& stream) override {
    occupy(stream, time_of(bytes));
  }
  void copy_rows(const RowsCopy& rows, const Stream& stream) override {
    occupy(stream, time_of(rows.rows * rows.bytes));
  }
  void zero(void*, std::size_t, const Stream& stream) override { occupy(stream, kernel_time); }

  void record(StreamEvent event, const Stream& stream) override {
    place(event).free_at = std::max(now(), of(stream).free_at);
  }
  void wait(const Stream& stream, StreamEvent event) override {
    of(stream).free_at = std::max(of(stream).free_at, place(event).free_at);
  }
  bool has_happened(StreamEvent event) override { return now() >= place(event).free_at; }
  double seconds_between(StreamEvent first, StreamEvent second) override {
    return 1e-9 * static_cast<double>(place(second).free_at - place(first).free_at);
  }
  void synchronise(const Stream& stream) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(of(stream).free_at - now()));
  }

  void begin_capture(const Stream&) override {}
  Graph end_capture(const Stream&) override { return {}; }
  void launch(Graph, const Stream& stream) override { occupy(stream, kernel_time); }
  void destroy(Graph) override {}

 private:
  static ScheduledStream& place(StreamEvent event) {
    return *static_cast<ScheduledStream*>(event.handle);
  }
  ScheduledStream* new_place() {
    places_.push_back(std::make_unique<ScheduledStream>());
    return places_.back().get();
  }

  int number_;
  std::map<void*, std::size_t> sizes_;
  std::vector<std::unique_ptr<ScheduledStream>> places_;  // of streams and events
};

cuda::FoundGpus find_gpus() {
  return {2, {}};
}
std::unique_ptr<Device> open(int number) {
  return std::make_unique<ScheduledGpu>(number);
}
OpenedRecorder open_recorder() {
  return {nullptr, "it has none"};
}

constexpr cuda::Module module{cuda::module_version, find_gpus, open, open_recorder};

}  // namespace
}  // namespace quintet::kernels

extern "C" __attribute__((visibility("default"))) const quintet::kernels::cuda::Module*
quintet_cuda_module() {
  return &quintet::kernels::module;
}
