#include "kernels/embedding.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/operators/sorted_rows.h"
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

// A table row's sum is cut into pieces of so many rows, counted from the first that goes there.
constexpr int piece = embedding_gradient_piece;
constexpr int threads = 128;

template <class Element>
struct Scatter {
  Index rows, width;
  std::int32_t table_rows;  // keys from here on are other ranks'
  SortedRows sorted;
  const Element* gradient;
  float* table;
  float* sums;  // [stretches, width]: of the piece that is not its table row's first
};

// A block's stretch of `piece` sorted rows, and as many behind it.
struct Stretch {
  std::int32_t keys[2 * piece], rows[2 * piece];
};

// The first row that goes where row `at` does; rows lie in order.
__device__ Index first_alike(const std::int32_t* keys, Index at) {
  const std::int32_t key = keys[at];
  Index low = 0, high = at;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

template <int width, class Element>
__device__ void add_rows(const Scatter<Element>& a, const Stretch& stretch, int begin, int end,
                         Index column, float (&sum)[width]) {
#pragma unroll 4
  for (int at = begin; at < end; ++at) {
    float values[width];
    load_pack(a.gradient + Index{stretch.rows[at]} * a.width + column, values);
#pragma unroll
    for (int i = 0; i < width; ++i) sum[i] += values[i];
  }
}

// Block (s, c): all pieces that begin in stretch s. A table row's first piece is added to what lies
// there; of the others a stretch has one at most, since they begin `piece` rows apart.
template <int width, class Element>
__global__ void __launch_bounds__(threads) sum_pieces_kernel(Scatter<Element> a) {
  __shared__ Stretch stretch;
  __shared__ std::int32_t before;  // rows that go where the stretch's first does
  const Index first = static_cast<Index>(blockIdx.x) * piece;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < 2 * piece) {
    const bool inside = first + thread < a.rows;
    stretch.keys[thread] = inside ? a.sorted.keys[first + thread] : a.table_rows;
    stretch.rows[thread] = inside ? a.sorted.rows[first + thread] : 0;
  }
  if (thread == threads - 1)
    before = static_cast<std::int32_t>(first - first_alike(a.sorted.keys, first));
  __syncthreads();
  const Index column =
      (static_cast<Index>(blockIdx.y) * threads + threadIdx.x) * static_cast<Index>(width);
  if (column >= a.width) return;
  int passed = before;  // rows that went where the row at hand does
  for (int at = 0; at < piece && stretch.keys[at] < a.table_rows;) {
    const std::int32_t key = stretch.keys[at];
    const int left = piece - passed % piece;  // of the piece that the row is in
    int end = at;
    while (end < at + left && stretch.keys[end] == key) ++end;
    if (left == piece) {
      float* const to = (passed == 0 ? a.table + Index{key} * a.width
                                     : a.sums + static_cast<Index>(blockIdx.x) * a.width) +
                        column;
      float sum[width] = {};
      if (passed == 0) load_pack(to, sum);
      add_rows(a, stretch, at, end, column, sum);
      store_pack(to, sum);
    }
    passed = stretch.keys[end] == key ? passed + end - at : 0;
    at = end;
  }
}

// Block (s, c): adds to the table row whose second piece begins in stretch s what its pieces from
// the second on have, in order. They begin `piece` rows apart, so each in the stretch after.
template <int width, class Element>
__global__ void __launch_bounds__(threads) add_pieces_kernel(Scatter<Element> a) {
  const Index first = static_cast<Index>(blockIdx.x) * piece;
  const std::int32_t key = a.sorted.keys[first];
  if (first == 0 || key >= a.table_rows || a.sorted.keys[first - 1] != key) return;
  const Index second = first_alike(a.sorted.keys, first) + piece;
  if (second < first || second >= a.rows || a.sorted.keys[second] != key) return;
  const Index column =
      (static_cast<Index>(blockIdx.y) * threads + threadIdx.x) * static_cast<Index>(width);
  if (column >= a.width) return;
  float* const to = a.table + Index{key} * a.width + column;
  float sum[width];
  load_pack(to, sum);
  for (Index at = second; at < a.rows && a.sorted.keys[at] == key; at += piece) {
    float values[width];
    load_pack(a.sums + at / piece * a.width + column, values);
#pragma unroll
    for (int i = 0; i < width; ++i) sum[i] += values[i];
  }
  store_pack(to, sum);
}

struct Wanted {
  const std::int32_t* rows;  // of the table, for each row of the gradient
  VocabularyShard shard;
  float* table;
};

template <class Element>
void scatter(const EmbeddingGradient& a, const Wanted& wanted, const Element* gradient,
             const Stream& stream) {
  if (wanted.table == nullptr || a.rows == 0 || a.width == 0) return;
  assert(a.workspace != nullptr);
  assert(sort_workspace(a.rows) + blocks_for(a.rows, piece) * a.width <=
         embedding_gradient_workspace(a.rows, a.width));
  auto* const memory = reinterpret_cast<std::int32_t*>(a.workspace);
  const Scatter<Element> step{a.rows,
                              a.width,
                              wanted.shard.size,
                              sort_rows(a.rows, wanted.shard, wanted.rows, memory, stream),
                              gradient,
                              wanted.table,
                              a.workspace + sort_workspace(a.rows)};
  constexpr int wide = pack_size<Element>;
  const bool packed = a.width % wide == 0 && on_16_bytes(gradient, step.table, step.sums);
  const auto start = [&](auto kernel, Index per_block) {
    const Shape shape{dim3(blocks_for(a.rows, piece), blocks_for(a.width, per_block)),
                      dim3(threads)};
    launch(kernel, shape, stream, step);
  };
  if (packed) {
    start(sum_pieces_kernel<wide, Element>, threads * wide);
    start(add_pieces_kernel<wide, Element>, threads * wide);
  } else {
    start(sum_pieces_kernel<1, Element>, threads);
    start(add_pieces_kernel<1, Element>, threads);
  }
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
  constexpr VocabularyShard all{0, 0x7FFFFFFF};
  with_element(a.output_gradient.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Element* const gradient = elements(a.output_gradient, kind);
    scatter<Element>(a, {a.tokens, a.shard, a.token_gradient}, gradient, stream);
    scatter<Element>(a, {a.positions, all, a.position_gradient}, gradient, stream);
    scatter<Element>(a, {a.types, all, a.type_gradient}, gradient, stream);
  });
}

}  // namespace quintet::kernels::cuda
