// Speed of the operators at the shapes of one GPT-2 124M step with 4 x 64 tokens, on one core:
//   kernels_benchmark --benchmark_min_time=0.5 --benchmark_repetitions=5
// Arg 0 of each: implementation (0 reference, 1 fast, 2 oneDNN). Take the best of the repetitions
// on a machine that others use too.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kernels/kernels.h"

namespace quintet::kernels {
namespace {

constexpr Index rows = 256;
constexpr Index width = 768;
constexpr Index heads = 12;
constexpr Index head_size = 64;
constexpr Index vocabulary = 50257;
constexpr Index parameters = 1 << 22;

enum Implementation : std::int64_t { reference, fast, onednn };

std::unique_ptr<Kernels> kernels_of(std::int64_t implementation) {
  switch (static_cast<Implementation>(implementation)) {
    case reference:
      return reference_kernels();
    case fast:
      return fast_kernels();
    case onednn:
      return onednn_kernels();
  }
  return nullptr;
}

std::vector<float> numbers(Index count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> made(static_cast<std::size_t>(count));
  std::generate(made.begin(), made.end(), [&] { return normal(random); });
  return made;
}

struct Bench {
  std::unique_ptr<Kernels> kernels;
  Stream stream;
};

// Skips where the implementation is not in this build.
bool start(benchmark::State& state, Bench& bench) {
  bench.kernels = kernels_of(state.range(0));
  if (bench.kernels == nullptr) state.SkipWithError("not in this build");
  return bench.kernels != nullptr;
}

void count_rate(benchmark::State& state, const char* name, double work) {
  state.counters[name] =
      benchmark::Counter(work * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

void implementations(benchmark::internal::Benchmark* each) {
  each->Arg(reference)->Arg(fast)->Unit(benchmark::kMicrosecond);
}

enum Elements : std::int64_t { fp32, bf16 };

// Args: implementation, form, rows, columns, depth, element type.
void gemm(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  Gemm g;
  g.form = static_cast<GemmForm>(state.range(1));
  g.rows = state.range(2);
  g.columns = state.range(3);
  g.depth = state.range(4);
  const std::vector<float> a = numbers(g.rows * g.depth);
  const std::vector<float> b = numbers(g.depth * g.columns);
  std::vector<Bfloat16> a16(a.size());
  std::vector<Bfloat16> b16(b.size());
  std::vector<float> c(static_cast<std::size_t>(g.rows * g.columns));
  bench.kernels->cast({g.rows * g.depth, a.data(), a16.data()}, bench.stream);
  bench.kernels->cast({g.depth * g.columns, b.data(), b16.data()}, bench.stream);
  g.a = state.range(5) == bf16 ? ConstTensor(a16.data()) : ConstTensor(a.data());
  g.b = state.range(5) == bf16 ? ConstTensor(b16.data()) : ConstTensor(b.data());
  g.c = c.data();
  if (g.form == GemmForm::a_transposed_b) g.write = GradientWrite::accumulate;
  for (auto _ : state) bench.kernels->gemm(g, bench.stream);
  count_rate(state, "FLOP/s", 2.0 * static_cast<double>(g.rows * g.columns * g.depth));
}

// Forward, input gradient and weight gradient of one layer's four products and of the head.
void gemm_shapes(benchmark::internal::Benchmark* each) {
  each->Unit(benchmark::kMicrosecond);
  each->ArgNames({"impl", "form", "m", "n", "k", "bf16"});
  const std::vector<std::pair<Index, Index>> layers{
      {2304, 768}, {768, 768}, {3072, 768}, {768, 3072}, {vocabulary, 768}};
  for (const std::int64_t type : {fp32, bf16})
    for (const std::int64_t implementation : {fast, onednn}) {
      for (const auto& [out, in] : layers) {
        each->Args({implementation, 1, rows, out, in, type});
        each->Args({implementation, 0, rows, in, out, type});
        each->Args({implementation, 2, out, in, rows, type});
      }
      each->Args({implementation, 0, 1024, 1024, 1024, type});
    }
  each->Args({reference, 0, 1024, 1024, 1024, fp32});
}
BENCHMARK(gemm)->Apply(gemm_shapes);

void layer_norm_forward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * width);
  const auto weight = numbers(width);
  std::vector<float> sum(input.size()), output(input.size()), mean(rows), inverse(rows);
  for (auto _ : state)
    bench.kernels->layer_norm_forward(
        {rows, width, 1e-5F, input.data(), input.data(), sum.data(), weight.data(), weight.data(),
         output.data(), mean.data(), inverse.data()},
        bench.stream);
  count_rate(state, "B/s", 16.0 * rows * width);
}
BENCHMARK(layer_norm_forward)->Apply(implementations);

void layer_norm_input_gradient(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * width);
  const auto weight = numbers(width);
  const std::vector<float> mean(rows, 0.0F), inverse(rows, 1.0F);
  std::vector<float> gradient(input.size());
  for (auto _ : state)
    bench.kernels->layer_norm_input_gradient(
        {rows, width, input.data(), input.data(), input.data(), weight.data(), mean.data(),
         inverse.data(), gradient.data()},
        bench.stream);
  count_rate(state, "B/s", 16.0 * rows * width);
}
BENCHMARK(layer_norm_input_gradient)->Apply(implementations);

void layer_norm_weight_gradient(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * width);
  const std::vector<float> mean(rows, 0.0F), inverse(rows, 1.0F);
  std::vector<float> weight(width), bias(width);
  for (auto _ : state)
    bench.kernels->layer_norm_weight_gradient({rows, width, input.data(), input.data(), mean.data(),
                                               inverse.data(), weight.data(), bias.data()},
                                              bench.stream);
  count_rate(state, "B/s", 8.0 * rows * width);
}
BENCHMARK(layer_norm_weight_gradient)->Apply(implementations);

void rms_norm_forward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * width);
  const auto weight = numbers(width);
  std::vector<float> sum(input.size()), output(input.size()), inverse(rows);
  for (auto _ : state)
    bench.kernels->rms_norm_forward({rows, width, 1e-5F, input.data(), input.data(), sum.data(),
                                     weight.data(), output.data(), inverse.data()},
                                    bench.stream);
  count_rate(state, "B/s", 16.0 * rows * width);
}
BENCHMARK(rms_norm_forward)->Apply(implementations);

// Args: implementation, sequences, tokens of each. GPT-2's heads, causal, q k v in one matrix.
struct AttentionCase {
  std::vector<std::int32_t> starts;
  std::vector<float> qkv, output, log_sum_exp;
  AttentionLayout shape;
};

AttentionCase attention_case(std::int64_t sequences, std::int64_t tokens) {
  AttentionCase made;
  for (std::int64_t s = 0; s <= sequences; ++s)
    made.starts.push_back(static_cast<std::int32_t>(s * tokens));
  made.qkv = numbers(sequences * tokens * 3 * width);
  made.output.resize(static_cast<std::size_t>(sequences * tokens * width));
  made.log_sum_exp.resize(static_cast<std::size_t>(sequences * tokens * heads));
  AttentionLayout& shape = made.shape;
  shape.sequences = sequences;
  shape.query_starts = shape.key_starts = made.starts.data();
  shape.query_heads = shape.key_heads = heads;
  shape.head_size = head_size;
  shape.scale = 0.125F;
  shape.query_stride = shape.key_stride = shape.value_stride = 3 * width;
  return made;
}

void attention_forward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  AttentionCase of = attention_case(state.range(1), state.range(2));
  const float* const qkv = of.qkv.data();
  for (auto _ : state)
    bench.kernels->attention_forward(
        {of.shape, qkv, qkv + width, qkv + 2 * width, of.output.data(), of.log_sum_exp.data()},
        bench.stream);
  const auto tokens = static_cast<double>(state.range(2));
  count_rate(state, "causal FLOP/s",
             static_cast<double>(state.range(1)) * 2.0 * tokens * tokens * width);
}

void attention_backward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  AttentionCase of = attention_case(state.range(1), state.range(2));
  const float* const qkv = of.qkv.data();
  std::vector<float> gradient(of.qkv.size());
  std::vector<float> workspace(static_cast<std::size_t>(attention_backward_workspace(of.shape)));
  bench.kernels->attention_forward(
      {of.shape, qkv, qkv + width, qkv + 2 * width, of.output.data(), of.log_sum_exp.data()},
      bench.stream);
  for (auto _ : state)
    bench.kernels->attention_backward(
        {of.shape, qkv, qkv + width, qkv + 2 * width, of.output.data(), of.output.data(),
         of.log_sum_exp.data(), gradient.data(), gradient.data() + width,
         gradient.data() + 2 * width, workspace.data()},
        bench.stream);
  const auto tokens = static_cast<double>(state.range(2));
  count_rate(state, "causal FLOP/s",
             static_cast<double>(state.range(1)) * 5.0 * tokens * tokens * width);
}

void attention_shapes(benchmark::internal::Benchmark* each) {
  each->ArgNames({"impl", "sequences", "tokens"})->Unit(benchmark::kMicrosecond);
  for (const std::int64_t implementation : {reference, fast})
    for (const auto& [sequences, tokens] : {std::pair{4, 64}, std::pair{1, 1024}})
      each->Args({implementation, sequences, tokens});
}
BENCHMARK(attention_forward)->Apply(attention_shapes);
BENCHMARK(attention_backward)->Apply(attention_shapes);

void gelu_forward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * 4 * width);
  std::vector<float> output(input.size());
  for (auto _ : state)
    bench.kernels->gelu_forward(
        {GeluForm::hyperbolic, rows * 4 * width, input.data(), output.data()}, bench.stream);
  count_rate(state, "elements/s", rows * 4.0 * width);
}
BENCHMARK(gelu_forward)->Apply(implementations);

void gelu_backward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * 4 * width);
  std::vector<float> output(input.size());
  for (auto _ : state)
    bench.kernels->gelu_backward(
        {GeluForm::hyperbolic, rows * 4 * width, input.data(), input.data(), output.data()},
        bench.stream);
  count_rate(state, "elements/s", rows * 4.0 * width);
}
BENCHMARK(gelu_backward)->Apply(implementations);

void swiglu_forward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * 2 * 2048);
  std::vector<float> output(static_cast<std::size_t>(rows * 2048));
  for (auto _ : state)
    bench.kernels->swiglu_forward(
        {rows, 2048, 4096, input.data(), input.data() + 2048, output.data()}, bench.stream);
  count_rate(state, "elements/s", rows * 2048.0);
}
BENCHMARK(swiglu_forward)->Apply(implementations);

void dropout(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto input = numbers(rows * width);
  std::vector<float> output(input.size());
  for (auto _ : state)
    bench.kernels->dropout({0.1F, 7, 1, rows, width, width, 0, 0, input.data(), output.data()},
                           bench.stream);
  count_rate(state, "elements/s", rows * 1.0 * width);
}
BENCHMARK(dropout)->Apply(implementations);

void embedding_forward(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto table = numbers(vocabulary * width);
  std::vector<std::int32_t> tokens(rows), positions(rows);
  for (Index row = 0; row < rows; ++row) {
    tokens[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(row * 7919 % vocabulary);
    positions[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(row % 64);
  }
  std::vector<float> output(static_cast<std::size_t>(rows * width));
  for (auto _ : state)
    bench.kernels->embedding_forward({rows,
                                      width,
                                      {0, vocabulary},
                                      tokens.data(),
                                      positions.data(),
                                      nullptr,
                                      table.data(),
                                      table.data(),
                                      {},
                                      output.data()},
                                     bench.stream);
  count_rate(state, "B/s", 12.0 * rows * width);
}
BENCHMARK(embedding_forward)->Apply(implementations);

void cross_entropy(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  auto logits = numbers(rows * vocabulary);
  std::vector<std::int32_t> targets(rows, 17);
  std::vector<float> loss(rows);
  for (auto _ : state)
    bench.kernels->cross_entropy(
        {{rows, vocabulary, 0, 0, targets.data(), logits.data()}, 1.0F, loss.data()}, bench.stream);
  count_rate(state, "elements/s", rows * 1.0 * vocabulary);
}
BENCHMARK(cross_entropy)->Apply(implementations);

void adamw(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  auto parameter = numbers(parameters);
  const auto gradient = numbers(parameters);
  std::vector<float> first(parameter.size()), second(parameter.size());
  UpdateNumbers now;
  now.learning_rate = 1e-4F;
  for (auto _ : state)
    bench.kernels->adamw(
        {list_of_one(ParameterStretch{
             parameters, parameter.data(), gradient.data(), first.data(), second.data(), 0.1F, {}}),
         nullptr,
         {},
         &now},
        bench.stream);
  count_rate(state, "elements/s", parameters);
}
BENCHMARK(adamw)->Apply(implementations);

void lamb(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  auto parameter = numbers(parameters);
  const auto gradient = numbers(parameters);
  std::vector<float> first(parameter.size()), second(parameter.size()), way(parameter.size());
  float parameter_norm = 0.0F, way_norm = 0.0F;
  const auto list = list_of_one(LambStretch{
      {parameters, parameter.data(), gradient.data(), first.data(), second.data(), 0.1F, {}},
      way.data(),
      &parameter_norm,
      &way_norm});
  UpdateNumbers now;
  now.learning_rate = 1e-4F;
  for (auto _ : state) {
    parameter_norm = way_norm = 0.0F;
    bench.kernels->lamb_direction({list, nullptr, {}, &now}, bench.stream);
    bench.kernels->lamb_step({list, &now}, bench.stream);
  }
  count_rate(state, "elements/s", parameters);
}
BENCHMARK(lamb)->Apply(implementations);

void squared_norm(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto values = numbers(parameters);
  double result = 0.0;
  for (auto _ : state)
    bench.kernels->squared_norm({list_of_one(ConstStretch{parameters, values.data()}), &result},
                                bench.stream);
  count_rate(state, "elements/s", parameters);
}
BENCHMARK(squared_norm)->Apply(implementations);

void cast_to_bf16(benchmark::State& state) {
  Bench bench;
  if (!start(state, bench)) return;
  const auto values = numbers(parameters);
  std::vector<Bfloat16> narrow(values.size());
  for (auto _ : state)
    bench.kernels->cast({parameters, values.data(), narrow.data()}, bench.stream);
  count_rate(state, "elements/s", parameters);
}
BENCHMARK(cast_to_bf16)->Apply(implementations);

}  // namespace
}  // namespace quintet::kernels
