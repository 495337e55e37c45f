// Attention at the shapes of published figures and of training steps, bf16.
#include <cmath>

#include "tests/gpu/benchmark/benchmarks.h"
#include "tests/gpu/benchmark/memory.h"
#include "tests/gpu/benchmark/report.h"

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

struct Case {
  AttentionMask mask;
  Index batch, length, heads, key_heads, head_size;

  // tests/gpu/torch_attention.py and published.json name the same shapes in the same words.
  std::string name(const std::string& pass) const {
    return pass + (mask == AttentionMask::causal ? " causal " : " full ") + std::to_string(batch) +
           " x " + std::to_string(length) + " heads " + std::to_string(heads) + '/' +
           std::to_string(key_heads) + " of " + std::to_string(head_size);
  }
  // Two products of length x length x head_size per head, half of it under a causal mask.
  double forward_work() const {
    const double all = 4.0 * static_cast<double>(batch * heads * head_size) *
                       static_cast<double>(length) * static_cast<double>(length);
    return mask == AttentionMask::causal ? all / 2 : all;
  }
};

constexpr Case cases[] = {
    {AttentionMask::causal, 1, 2048, 64, 8, 128},  {AttentionMask::causal, 1, 4096, 64, 8, 128},
    {AttentionMask::causal, 1, 8192, 64, 8, 128},  {AttentionMask::none, 1, 4096, 64, 8, 128},
    {AttentionMask::causal, 2, 4096, 32, 32, 128}, {AttentionMask::causal, 2, 4096, 32, 8, 64},
    {AttentionMask::causal, 1, 8192, 32, 8, 64},   {AttentionMask::causal, 16, 1024, 12, 12, 64},
    {AttentionMask::causal, 8, 1024, 25, 25, 64}};

AttentionLayout shape_of(const Case& c, Memory& memory) {
  std::vector<std::int32_t> starts;
  for (Index sequence = 0; sequence <= c.batch; ++sequence)
    starts.push_back(static_cast<std::int32_t>(sequence * c.length));
  AttentionLayout shape;
  shape.sequences = c.batch;
  shape.query_starts = shape.key_starts = memory.integers(starts);
  shape.query_rows = shape.key_rows = c.batch * c.length;
  shape.query_heads = c.heads;
  shape.key_heads = c.key_heads;
  shape.head_size = c.head_size;
  shape.mask = c.mask;
  shape.lengths = SequenceLengths::equal;
  shape.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.head_size)));
  return shape;
}

// QUINTET_ATTENTION says whose; "cuDNN 9.19.0 (where it lies)" without the place.
std::string whose(Device& device) {
  const std::string words = device.properties().attention;
  return words.substr(0, words.find(" ("));
}

// What a library refused ran on our own kernels: the device's words then tell of more calls.
template <class Work>
void time_one(Device& device, Timer& timer, Figure figure, Work work) {
  const std::string before = device.properties().attention;
  const Timing timing = timer.time(work);
  figure.by = device.properties().attention == before ? whose(device) : "our own kernels instead";
  report(figure, timing);
}

void run(Device& device, Timer& timer, Kernels& kernels, const Case& c) {
  Memory memory(device);
  const AttentionLayout shape = shape_of(c, memory);
  const Index rows = c.batch * c.length;
  const Index query_size = rows * c.heads * c.head_size,
              key_size = rows * c.key_heads * c.head_size;
  Bfloat16 *const query = memory.bfloat16s(query_size), *const key = memory.bfloat16s(key_size),
                  *const value = memory.bfloat16s(key_size);
  Bfloat16* const output = memory.bfloat16s(query_size);
  float* const sums = memory.floats(rows * c.heads);
  const AttentionForward forward{shape, query, key, value, output, sums};
  time_one(device, timer,
           {"attention", c.name("forward"), "", c.forward_work(), "TFLOP/s",
            "4 batch heads length^2 size, causal half"},
           [&](Stream& stream) { kernels.attention_forward(forward, stream); });
  const AttentionBackward backward{shape,
                                   query,
                                   key,
                                   value,
                                   output,
                                   memory.bfloat16s(query_size),
                                   sums,
                                   memory.bfloat16s(query_size),
                                   memory.bfloat16s(key_size),
                                   memory.bfloat16s(key_size),
                                   memory.floats(attention_backward_workspace(shape))};
  time_one(
      device, timer,
      {"attention", c.name("backward"), "", 2.5 * c.forward_work(), "TFLOP/s", "2.5 times forward"},
      [&](Stream& stream) { kernels.attention_backward(backward, stream); });
}

}  // namespace

void benchmark_attention(Device& device, Timer& timer) {
  const auto kernels = device.make_kernels();
  for (const Case& c : cases) run(device, timer, *kernels, c);
}

}  // namespace quintet::gpu_tests
