// Replicators' operators on 2^26 elements: what a replica does beside its exchange. Bytes that an
// operator cannot do without over its time; of transforms the operations of their products.
#include "tests/gpu/benchmark/benchmarks.h"
#include "tests/gpu/benchmark/memory.h"
#include "tests/gpu/benchmark/report.h"

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

constexpr Index rows = 8192, columns = 8192, elements = rows * columns;
constexpr Index kept = 32;
constexpr double count = static_cast<double>(elements);
constexpr const char* once = "bytes read and written once each";

struct Bench {
  Device& device;
  Timer& timer;
  Kernels& kernels;

  template <class Work>
  void bytes(const std::string& name, double each, Work work) const {
    report({"replicators", name, "ours", count * each, "TB/s", once},
           timer.time([&](Stream& stream) { work(*kernels.on_replicators(), stream); }));
  }
  template <class Work>
  void chunks(const std::string& name, double work_of_all, const std::string& unit,
              const std::string& counted, Work work) const {
    report({"replicators", name, "ours", work_of_all, unit, counted},
           timer.time([&](Stream& stream) { work(*kernels.on_cosines(), stream); }));
  }
};

void time_vectors(const Bench& b) {
  Memory memory(b.device);
  float *const gradient = memory.floats(elements), *const momentum = memory.floats(elements);
  float *const anchor = memory.floats(elements), *const parameter = memory.floats(elements);
  Bfloat16 *const sum = memory.bfloat16s(elements), *const copy = memory.bfloat16s(elements);
  constexpr Index chosen = elements / 16;
  std::int32_t* const positions = memory.integers(chosen, 1);
  b.bytes("momentum", 12, [=](ReplicatorKernels& k, Stream& s) {
    k.momentum_add({elements, 0.999F, nullptr, gradient, momentum}, s);
  });
  b.bytes("merged gradient bf16, sign", 6, [=](ReplicatorKernels& k, Stream& s) {
    k.merged_gradient({elements, sum, 0.5F, MergedAs::sign, gradient}, s);
  });
  b.bytes("outer difference bf16", 10, [=](ReplicatorKernels& k, Stream& s) {
    k.outer_difference({elements, anchor, parameter, sum}, s);
  });
  b.bytes("outer step bf16, bf16 copy", 24, [=](ReplicatorKernels& k, Stream& s) {
    k.outer_step({elements, sum, 0.5F, 0.7F, 0.9F, momentum, anchor, parameter, copy}, s);
  });
  b.bytes("draw of 1/16", 4.0 / 16, [=](ReplicatorKernels& k, Stream& s) {
    k.draw_positions({elements, chosen, 7, 3, 0, positions}, s);
  });
  b.bytes("take 1/16 bf16", (4 + 8 + 2) / 16.0, [=](ReplicatorKernels& k, Stream& s) {
    k.take_elements({chosen, positions, momentum, sum}, s);
  });
  b.bytes("put 1/16 bf16", 4 + (4 + 2 + 4) / 16.0, [=](ReplicatorKernels& k, Stream& s) {
    k.put_elements({elements, chosen, positions, sum, 0.5F, gradient}, s);
  });
}

void time_chunks(const Bench& b) {
  Memory memory(b.device);
  float *const x = memory.floats(elements), *const y = memory.floats(elements);
  for (const auto direction : {CosineDirection::forward, CosineDirection::inverse})
    for (const Chunks& chunks : {Chunks{rows, columns, 64, 64}, Chunks{1, elements, 1, 64}}) {
      const double depth = static_cast<double>(chunks.chunk_rows + chunks.chunk_columns);
      const bool forward = direction == CosineDirection::forward;
      b.chunks(std::string(forward ? "transform" : "inverse") + " of chunks " +
                   std::to_string(chunks.chunk_rows) + " x 64",
               2.0 * depth * count, "TFLOP/s", "of two products", [=](CosineKernels& k, Stream& s) {
                 k.cosine_transform({direction, chunks, x, y}, s);
               });
    }
  constexpr Index size = 64 * 64, chunks = elements / size;
  std::int32_t* const positions = memory.integers(chunks * kept, size);
  float* const values = memory.floats(chunks * kept);
  b.chunks("largest 32 of 4096", 4.0 * count, "TB/s", "coefficients read once",
           [=](CosineKernels& k, Stream& s) {
             k.largest_coefficients({chunks, size, kept, x, positions, values}, s);
           });
  b.chunks("mean of 32 in 4096, one sender", 4.0 * count, "TB/s", "coefficients written once",
           [=](CosineKernels& k, Stream& s) {
             k.mean_of_coefficients({chunks, size, kept, 1, positions, values, y}, s);
           });
}

}  // namespace

void benchmark_replicators(Device& device, Timer& timer) {
  const auto kernels = device.make_kernels();
  const Bench bench{device, timer, *kernels};
  time_vectors(bench);
  time_chunks(bench);
}

}  // namespace quintet::gpu_tests
