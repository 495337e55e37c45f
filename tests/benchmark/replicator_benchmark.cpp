// DeMo's operators and Random's draw at the shapes of a GPT-2 124M, on one core:
//   replicator_benchmark --benchmark_repetitions=5
// A matrix of 3072 x 768 in chunks of 64 x 64, and a line of as many elements in chunks of 64. Arg
// 0 of each: 0 reference, 1 fast. Figures to be compared are taken in one run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kernels/kernels.h"

namespace quintet::kernels {
namespace {

constexpr Index rows = 3072, columns = 768, elements = rows * columns;
constexpr Index kept = 32;
constexpr Chunks matrix{rows, columns, 64, 64}, line{1, elements, 1, 64};

std::vector<float> numbers() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> made(static_cast<std::size_t>(elements));
  std::generate(made.begin(), made.end(), [&] { return normal(random); });
  return made;
}

std::unique_ptr<Kernels> kernels_of(const benchmark::State& state) {
  return state.range(0) == 0 ? reference_kernels() : fast_kernels();
}

void count_elements(benchmark::State& state) {
  state.counters["elements/s"] =
      benchmark::Counter(static_cast<double>(elements * state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

void transform(benchmark::State& state, CosineDirection direction, const Chunks& chunks) {
  const auto kernels = kernels_of(state);
  Stream stream;
  const std::vector<float> input = numbers();
  std::vector<float> output(input.size());
  for (auto _ : state)
    kernels->on_cosines()->cosine_transform({direction, chunks, input.data(), output.data()},
                                            stream);
  count_elements(state);
}

void implementations(benchmark::internal::Benchmark* each) {
  each->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
}

void matrix_forward(benchmark::State& state) {
  transform(state, CosineDirection::forward, matrix);
}
void matrix_inverse(benchmark::State& state) {
  transform(state, CosineDirection::inverse, matrix);
}
void line_forward(benchmark::State& state) {
  transform(state, CosineDirection::forward, line);
}
BENCHMARK(matrix_forward)->Apply(implementations);
BENCHMARK(matrix_inverse)->Apply(implementations);
BENCHMARK(line_forward)->Apply(implementations);

void largest_of_chunks(benchmark::State& state) {
  const auto kernels = kernels_of(state);
  Stream stream;
  const std::vector<float> input = numbers();
  const Index chunks = chunk_count(matrix);
  std::vector<std::int32_t> positions(static_cast<std::size_t>(chunks * kept));
  std::vector<float> values(positions.size());
  for (auto _ : state)
    kernels->on_cosines()->largest_coefficients(
        {chunks, chunk_size(matrix), kept, input.data(), positions.data(), values.data()}, stream);
  count_elements(state);
}
BENCHMARK(largest_of_chunks)->Apply(implementations);

void drawn_positions(benchmark::State& state) {
  const auto kernels = kernels_of(state);
  Stream stream;
  std::vector<std::int32_t> positions(static_cast<std::size_t>(elements / 16));
  for (auto _ : state)
    kernels->on_replicators()->draw_positions({elements, elements / 16, 7, 3, 0, positions.data()},
                                              stream);
  count_elements(state);
}
BENCHMARK(drawn_positions)->Apply(implementations);

}  // namespace
}  // namespace quintet::kernels
