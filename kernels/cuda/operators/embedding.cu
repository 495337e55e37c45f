#include "kernels/embedding.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct LookUpStep {
  Index row_width;
  VocabularyShard shard;
  const std::int32_t* tokens;
  const std::int32_t* positions;
  const std::int32_t* types;
  const Element* token_table;
  const Element* position_table;
  const Element* type_table;
  Element* output;

  template <int width>
  __device__ void operator()(Index at) const {
    const Index row = at / row_width;
    const Index column = at % row_width;
    float sum[width] = {};
    const std::int32_t token = tokens[row] - shard.first;
    if (token >= 0 && token < shard.size) add<width>(token_table, token, column, sum);
    if (position_table != nullptr) add<width>(position_table, positions[row], column, sum);
    if (type_table != nullptr) add<width>(type_table, types[row], column, sum);
    store_pack(output + at, sum);
  }

 private:
  template <int width>
  __device__ void add(const Element* table, Index row, Index column, float (&sum)[width]) const {
    float values[width];
    load_pack(table + row * row_width + column, values);
#pragma unroll
    for (int i = 0; i < width; ++i) sum[i] += values[i];
  }
};

template <class Element>
struct Scatter {
  Index rows, width;
  std::int32_t first, size;        // of the table's rows that are here
  const std::int32_t* table_rows;  // where each row's gradient goes
  const Element* gradient;
  float* table;
};

constexpr int scatter_threads = 256;

// Whether one of the rows [begin, end) goes to `wanted`; asked by the whole block.
template <class Element>
__device__ bool goes_there(const Scatter<Element>& a, Index begin, Index end, std::int32_t wanted) {
  for (Index from = begin; from < end; from += scatter_threads) {
    const Index row = from + threadIdx.x;
    const bool mine = row < end && a.table_rows[row] == wanted;
    if (__syncthreads_or(mine ? 1 : 0) != 0) return true;
  }
  return false;
}

// Block (r, c): the first row that goes to a row of the table collects for it, in order of rows, so
// the sum has one order and no two blocks write one place. Rows of a column tile are 256 elements.
template <class Element>
__global__ void __launch_bounds__(scatter_threads) scatter_kernel(Scatter<Element> a) {
  const Index first_row = blockIdx.x;
  const std::int32_t to = a.table_rows[first_row];
  if (to < a.first || to >= a.first + a.size) return;
  if (goes_there(a, 0, first_row, to)) return;
  const Index column = static_cast<Index>(blockIdx.y) * scatter_threads + threadIdx.x;
  float* const place = a.table + Index{to - a.first} * a.width + column;
  const bool inside = column < a.width;
  float sum = inside ? *place : 0.0F;
  __shared__ std::int32_t ahead[scatter_threads];
  for (Index from = first_row; from < a.rows; from += scatter_threads) {
    __syncthreads();
    if (from + threadIdx.x < a.rows) ahead[threadIdx.x] = a.table_rows[from + threadIdx.x];
    __syncthreads();
    const Index there = a.rows - from < scatter_threads ? a.rows - from : Index{scatter_threads};
    for (Index i = 0; i < there; ++i)
      if (ahead[i] == to && inside) sum += to_float(a.gradient[(from + i) * a.width + column]);
  }
  if (inside) *place = sum;
}

template <class Element>
void scatter(const Scatter<Element>& a, const Stream& stream) {
  if (a.table == nullptr || a.rows == 0 || a.width == 0) return;
  const Shape shape{dim3(static_cast<unsigned>(a.rows), blocks_for(a.width, scatter_threads)),
                    dim3(scatter_threads)};
  launch(scatter_kernel<Element>, shape, stream, a);
}

}  // namespace

void CudaKernels::embedding_forward(const EmbeddingForward& a, Stream& stream) {
  with_element(a.output.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const LookUpStep<Element> step{a.width,
                                   a.shard,
                                   a.tokens,
                                   a.positions,
                                   a.types,
                                   elements(a.token_table, kind),
                                   elements(a.position_table, kind),
                                   elements(a.type_table, kind),
                                   elements(a.output, kind)};
    const bool packed =
        a.width % pack_size<Element> == 0 &&
        on_16_bytes(step.token_table, step.position_table, step.type_table, step.output);
    for_each<Element>(a.rows * a.width, packed, stream, step);
  });
}

void CudaKernels::embedding_gradient(const EmbeddingGradient& a, Stream& stream) {
  constexpr std::int32_t all = 0x7FFFFFFF;
  with_element(a.output_gradient.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Element* const gradient = elements(a.output_gradient, kind);
    scatter<Element>(
        {a.rows, a.width, a.shard.first, a.shard.size, a.tokens, gradient, a.token_gradient},
        stream);
    scatter<Element>({a.rows, a.width, 0, all, a.positions, gradient, a.position_gradient}, stream);
    scatter<Element>({a.rows, a.width, 0, all, a.types, gradient, a.type_gradient}, stream);
  });
}

}  // namespace quintet::kernels::cuda
