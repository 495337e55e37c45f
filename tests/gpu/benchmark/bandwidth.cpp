// Norms, element-wise operators and optimizers, which only move memory: bytes that the operator
// cannot do without, over its time, beside the device's own copy.
#include <cstring>

#include "tests/gpu/benchmark/benchmarks.h"
#include "tests/gpu/benchmark/memory.h"
#include "tests/gpu/benchmark/report.h"

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

constexpr Index elements = Index{1} << 27;    // 256 MiB of bf16
constexpr Index parameters = Index{1} << 27;  // 512 MiB of fp32

struct Bench {
  Device& device;
  Timer& timer;
  Kernels& kernels;

  template <class Work>
  void time(const std::string& group, const std::string& name, double bytes, Work work) const {
    report({group, name, "ours", bytes, "TB/s", "bytes read and written once each"},
           timer.time([&](Stream& stream) { work(kernels, stream); }));
  }
};

double bytes_of(Index count, double each) {
  return static_cast<double>(count) * each;
}

void time_copy(const Bench& b) {
  Memory memory(b.device);
  const Index count = 4 * elements;
  Bfloat16 *const from = memory.bfloat16s(count), *const to = memory.bfloat16s(count);
  const auto size = static_cast<std::size_t>(count) * sizeof(Bfloat16);
  report({"copy", "device to device, 1 GiB", "the driver", 2.0 * static_cast<double>(size), "TB/s",
          "bytes read and written once each"},
         b.timer.time([&](Stream& stream) { b.device.copy(to, from, size, stream); }));
}

void time_elementwise(const Bench& b) {
  Memory memory(b.device);
  Bfloat16 *const x = memory.bfloat16s(elements), *const y = memory.bfloat16s(elements);
  Bfloat16 *const z = memory.bfloat16s(elements), *const u = memory.bfloat16s(elements);
  Bfloat16* const v = memory.bfloat16s(elements);
  float *const wide = memory.floats(elements), *const one = memory.number(1.0F);
  std::int32_t* const found = memory.integers(1, 1);
  const std::string group = "bandwidth";
  b.time(group, "residual add bf16", bytes_of(elements, 6), [=](Kernels& k, Stream& s) {
    k.residual_add({elements, x, y, z}, s);
  });
  b.time(group, "accumulate bf16 into fp32", bytes_of(elements, 10), [=](Kernels& k, Stream& s) {
    k.accumulate({elements, x, wide}, s);
  });
  b.time(group, "scale bf16", bytes_of(elements, 4), [=](Kernels& k, Stream& s) {
    k.scale({elements, x, one}, s);
  });
  b.time(group, "cast fp32 to bf16", bytes_of(elements, 6), [=](Kernels& k, Stream& s) {
    k.cast({elements, wide, x}, s);
  });
  b.time(group, "cast bf16 to fp32", bytes_of(elements, 6), [=](Kernels& k, Stream& s) {
    k.cast({elements, x, wide}, s);
  });
  b.time(group, "find non-finite bf16", bytes_of(elements, 2), [=](Kernels& k, Stream& s) {
    k.find_non_finite({elements, x, found}, s);
  });
  b.time(group, "dropout bf16", bytes_of(elements, 4), [=](Kernels& k, Stream& s) {
    k.dropout({0.1F, 7, 3, 1, elements, 0, 0, 0, x, y}, s);
  });
  b.time(group, "GELU bf16", bytes_of(elements, 4), [=](Kernels& k, Stream& s) {
    k.gelu_forward({GeluForm::hyperbolic, elements, x, y}, s);
  });
  b.time(group, "GELU gradient bf16", bytes_of(elements, 6), [=](Kernels& k, Stream& s) {
    k.gelu_backward({GeluForm::hyperbolic, elements, x, y, z}, s);
  });
  constexpr Index width = 4096, rows = elements / width;
  b.time(group, "SwiGLU bf16", bytes_of(elements, 6), [=](Kernels& k, Stream& s) {
    k.swiglu_forward({rows, width, 0, x, y, z}, s);
  });
  b.time(group, "SwiGLU gradient bf16", bytes_of(elements, 10), [=](Kernels& k, Stream& s) {
    k.swiglu_backward({rows, width, 0, x, y, z, u, v}, s);
  });
  b.time(group, "bias add bf16", bytes_of(elements, 4), [=](Kernels& k, Stream& s) {
    k.bias_add({rows, width, x, y}, s);
  });
  b.time(group, "bias gradient bf16", bytes_of(elements, 2), [=](Kernels& k, Stream& s) {
    k.bias_gradient({rows, width, x, wide, GradientWrite::overwrite}, s);
  });
}

void time_rotary(const Bench& b) {
  constexpr Index heads = 32, head_size = 128, positions = 4096;
  constexpr Index rows = elements / heads / head_size;
  Memory memory(b.device);
  Rotary rotary;
  rotary.rows = rows;
  rotary.heads = heads;
  rotary.head_size = head_size;
  rotary.positions = memory.integers(rows, positions);
  rotary.cosines = memory.floats(positions * head_size / 2);
  rotary.sines = memory.floats(positions * head_size / 2);
  rotary.input = memory.bfloat16s(elements);
  rotary.output = memory.bfloat16s(elements);
  b.time("bandwidth", "rotary 32 heads of 128 bf16", bytes_of(elements, 4),
         [=](Kernels& k, Stream& s) { k.rotary(rotary, s); });
}

struct NormMemory {
  Bfloat16 *x, *residual, *sum, *y, *upstream, *gradient, *weight, *bias;
  float *mean, *inverse, *of_weight, *of_bias;
};

NormMemory norm_memory(Memory& m, Index rows, Index width) {
  const Index all = rows * width;
  return {m.bfloat16s(all),        m.bfloat16s(all),         m.bfloat16s(all),
          m.bfloat16s(all),        m.bfloat16s(all),         m.bfloat16s(all),
          m.bfloat16s(width),      m.bfloat16s(width),       m.positive_floats(rows),
          m.positive_floats(rows), m.positive_floats(width), m.positive_floats(width)};
}

void time_layer_norm(const Bench& b, Index width) {
  const Index rows = elements / width, all = rows * width;
  Memory memory(b.device);
  const NormMemory m = norm_memory(memory, rows, width);
  const std::string at = " " + std::to_string(rows) + " x " + std::to_string(width) + " bf16";
  const std::string group = "bandwidth";
  b.time(group, "LayerNorm" + at, bytes_of(all, 4), [=](Kernels& k, Stream& s) {
    k.layer_norm_forward(
        {rows, width, 1e-5F, m.x, {}, {}, m.weight, m.bias, m.y, m.mean, m.inverse}, s);
  });
  b.time(group, "residual and LayerNorm" + at, bytes_of(all, 8), [=](Kernels& k, Stream& s) {
    k.layer_norm_forward(
        {rows, width, 1e-5F, m.x, m.residual, m.sum, m.weight, m.bias, m.y, m.mean, m.inverse}, s);
  });
  b.time(group, "LayerNorm input gradient" + at, bytes_of(all, 8), [=](Kernels& k, Stream& s) {
    k.layer_norm_input_gradient(
        {rows, width, m.upstream, m.residual, m.x, m.weight, m.mean, m.inverse, m.gradient}, s);
  });
  b.time(group, "LayerNorm weight gradient" + at, bytes_of(all, 4), [=](Kernels& k, Stream& s) {
    k.layer_norm_weight_gradient({rows, width, m.upstream, m.x, m.mean, m.inverse, m.of_weight,
                                  m.of_bias, GradientWrite::overwrite},
                                 s);
  });
  b.time(group, "LayerNorm gradients" + at, bytes_of(all, 8), [=](Kernels& k, Stream& s) {
    k.layer_norm_gradient(
        {{rows, width, m.upstream, m.residual, m.x, m.weight, m.mean, m.inverse, m.gradient},
         {rows, width, m.upstream, m.x, m.mean, m.inverse, m.of_weight, m.of_bias,
          GradientWrite::overwrite}},
        s);
  });
}

void time_rms_norm(const Bench& b, Index width) {
  const Index rows = elements / width, all = rows * width;
  Memory memory(b.device);
  const NormMemory m = norm_memory(memory, rows, width);
  const std::string at = " " + std::to_string(rows) + " x " + std::to_string(width) + " bf16";
  const std::string group = "bandwidth";
  b.time(group, "RMSNorm" + at, bytes_of(all, 4), [=](Kernels& k, Stream& s) {
    k.rms_norm_forward({rows, width, 1e-5F, m.x, {}, {}, m.weight, m.y, m.inverse}, s);
  });
  b.time(group, "residual and RMSNorm" + at, bytes_of(all, 8), [=](Kernels& k, Stream& s) {
    k.rms_norm_forward({rows, width, 1e-5F, m.x, m.residual, m.sum, m.weight, m.y, m.inverse}, s);
  });
  b.time(group, "RMSNorm input gradient" + at, bytes_of(all, 8), [=](Kernels& k, Stream& s) {
    k.rms_norm_input_gradient(
        {rows, width, m.upstream, m.residual, m.x, m.weight, m.inverse, m.gradient}, s);
  });
  b.time(group, "RMSNorm weight gradient" + at, bytes_of(all, 4), [=](Kernels& k, Stream& s) {
    k.rms_norm_weight_gradient(
        {rows, width, m.upstream, m.x, m.inverse, m.of_weight, GradientWrite::overwrite}, s);
  });
  b.time(group, "RMSNorm gradients" + at, bytes_of(all, 8), [=](Kernels& k, Stream& s) {
    k.rms_norm_gradient(
        {{rows, width, m.upstream, m.residual, m.x, m.weight, m.inverse, m.gradient, {}, {}},
         {rows, width, m.upstream, m.x, m.inverse, m.of_weight, GradientWrite::overwrite, {}, {}}},
        s);
  });
}

// In the device's memory.
const UpdateNumbers* update_numbers(Memory& memory, float rate) {
  UpdateNumbers numbers;
  numbers.learning_rate = rate;
  std::vector<std::int32_t> words(sizeof numbers / sizeof(std::int32_t));
  std::memcpy(words.data(), &numbers, sizeof numbers);
  return reinterpret_cast<const UpdateNumbers*>(memory.integers(words));
}

void time_optimizers(const Bench& b) {
  Memory memory(b.device);
  const float* const factor = memory.number(1.0F);
  const auto stretch = list_of_one(ParameterStretch{
      parameters, memory.floats(parameters), memory.floats(parameters), memory.floats(parameters),
      memory.positive_floats(parameters), 0.1F, memory.bfloat16s(parameters)});
  const auto lamb = list_of_one(LambStretch{stretch.items[0], memory.floats(parameters),
                                            memory.number(0.0F), memory.number(0.0F)});
  const auto gradient = list_of_one(ConstStretch{parameters, stretch.items[0].gradient});
  double* const norm = memory.doubles(1);
  const UpdateNumbers* const numbers = update_numbers(memory, 1e-5F);
  const std::string group = "bandwidth";
  // Parameter and two moments in and out, gradient in, bf16 copy out.
  b.time(group, "AdamW fp32, bf16 copy", bytes_of(parameters, 30), [=](Kernels& k, Stream& s) {
    k.adamw({stretch, factor, {}, numbers}, s);
  });
  b.time(group, "LAMB direction fp32", bytes_of(parameters, 28), [=](Kernels& k, Stream& s) {
    k.lamb_direction({lamb, factor, {}, numbers}, s);
  });
  b.time(group, "LAMB step fp32, bf16 copy", bytes_of(parameters, 14), [=](Kernels& k, Stream& s) {
    k.lamb_step({lamb, numbers}, s);
  });
  b.time(group, "SGD with momentum fp32, bf16 copy", bytes_of(parameters, 22),
         [=](Kernels& k, Stream& s) {
           k.sgd({stretch, factor, SgdMomentum::classical, 0.9F, numbers}, s);
         });
  b.time(group, "squared norm fp32", bytes_of(parameters, 4), [=](Kernels& k, Stream& s) {
    k.squared_norm({gradient, norm, GradientWrite::overwrite}, s);
  });
}

// Without a bar: these gather rows or go over theirs more than once.
void time_vocabulary(const Bench& b) {
  constexpr Index rows = 16384, vocabulary = 50304, width = 2048;
  Memory memory(b.device);
  std::int32_t* const tokens = memory.integers(rows, 50257);
  Bfloat16* const logits = memory.bfloat16s(rows * vocabulary);
  float* const loss = memory.floats(rows);
  b.time("vocabulary", "cross-entropy 16384 x 50304 bf16", bytes_of(rows * vocabulary, 4),
         [=](Kernels& k, Stream& s) {
           k.cross_entropy({{rows, vocabulary, 0, 0, tokens, logits}, 1e-4F, loss}, s);
         });
  Bfloat16 *const table = memory.bfloat16s(vocabulary * width), *const output =
                                                                    memory.bfloat16s(rows * width);
  float* const gradient = memory.floats(vocabulary * width);
  float* const workspace = memory.floats(embedding_gradient_workspace(rows, width));
  const VocabularyShard shard{0, vocabulary};
  b.time("vocabulary", "embedding 16384 x 2048 bf16", bytes_of(rows * width, 4),
         [=](Kernels& k, Stream& s) {
           k.embedding_forward(
               {rows, width, shard, tokens, nullptr, nullptr, table, {}, {}, output}, s);
         });
  b.time("vocabulary", "embedding gradient 16384 x 2048", bytes_of(rows * width, 10),
         [=](Kernels& k, Stream& s) {
           k.embedding_gradient({rows, width, shard, tokens, nullptr, nullptr, output, gradient,
                                 nullptr, nullptr, workspace},
                                s);
         });
}

}  // namespace

void benchmark_bandwidth(Device& device, Timer& timer) {
  const auto kernels = device.make_kernels();
  const Bench bench{device, timer, *kernels};
  time_copy(bench);
  time_elementwise(bench);
  time_rotary(bench);
  for (const Index width : {768, 1600, 4096}) time_layer_norm(bench, width);
  for (const Index width : {2048, 4096, 8192}) time_rms_norm(bench, width);
  time_optimizers(bench);
  time_vocabulary(bench);
}

}  // namespace quintet::gpu_tests
