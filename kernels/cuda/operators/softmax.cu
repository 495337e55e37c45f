#include "kernels/softmax.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/row.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct Forward {
  SoftmaxForward a;
  Element* scores;

  // Columns that the query of a row sees: first <= column < end.
  struct Seen {
    Index first, end;
    __device__ bool holds(Index column) const { return first <= column && column < end; }
  };
  __device__ Seen seen(Index row) const {
    Index end = a.columns;
    if (a.mask == AttentionMask::causal) end = row % a.rows + 1 + a.columns - a.rows;
    if (end < 0) end = 0;
    return {a.window > 0 && end > a.window ? end - a.window : 0, end};
  }
};

// A block per row.
template <class Element, class Shape>
__global__ void __launch_bounds__(most_row_threads) forward_kernel(Forward<Element> f) {
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index row = blockIdx.x;
  Element* const scores = f.scores + row * f.a.columns;
  const auto seen = f.seen(row);
  OfRow x;
  // change(value, whether the query sees it) of each column of a slice.
  const auto each = [&](Index first, Index columns, auto change) {
    OfRow::each(columns, [&](int pack, Index column) {
#pragma unroll
      for (int i = 0; i < Shape::width; ++i)
        change(x.values[pack][i], seen.holds(first + column + i));
    });
  };
  float own = -INFINITY;
  for_slices<Shape>(f.a.columns, [&](Index first, Index columns) {
    x.load(scores + first, columns);
    each(first, columns, [&](float& value, bool is_seen) {
      value *= f.a.scale;
      if (is_seen) own = Maximum{}(value, own);
    });
  });
  const float maximum = block_reduce(own, Maximum{}, -INFINITY);
  const auto to_power = [&](float& value, bool is_seen) {
    value = is_seen ? expf(value - maximum) : 0.0F;
  };
  const auto powers_again = [&](Index first, Index columns) {
    x.load(scores + first, columns);
    each(first, columns, [&](float& value, bool is_seen) {
      value *= f.a.scale;
      to_power(value, is_seen);
    });
  };
  own = 0.0F;
  for_slices<Shape>(f.a.columns, [&](Index first, Index columns) {
    if constexpr (Shape::whole)
      each(first, columns, to_power);
    else
      powers_again(first, columns);
    own += OfRow::own_sum(columns, [&](int p, int i) { return x.values[p][i]; });
  });
  const float total = sum_of_block(own);
  const float inverse = seen.first < seen.end ? 1.0F / total : 0.0F;
  for_slices<Shape>(f.a.columns, [&](Index first, Index columns) {
    if constexpr (!Shape::whole) powers_again(first, columns);
    each(first, columns, [&](float& value, bool) { value *= inverse; });
    x.store(scores + first, columns);
  });
}

template <class Element>
struct Backward {
  Index columns;
  float scale;
  const Element* probabilities;
  Element* gradient;
};

template <class Element, class Shape>
__global__ void __launch_bounds__(most_row_threads) backward_kernel(Backward<Element> b) {
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index from = static_cast<Index>(blockIdx.x) * b.columns;
  OfRow p, g;
  const auto load = [&](Index first, Index columns) {
    p.load(b.probabilities + from + first, columns);
    g.load(b.gradient + from + first, columns);
  };
  float own = 0.0F;
  for_slices<Shape>(b.columns, [&](Index first, Index columns) {
    load(first, columns);
    own += OfRow::own_sum(columns, [&](int k, int i) { return p.values[k][i] * g.values[k][i]; });
  });
  const float mean = sum_of_block(own);
  for_slices<Shape>(b.columns, [&](Index first, Index columns) {
    if constexpr (!Shape::whole) load(first, columns);
    OfRow::each(columns, [&](int k, Index) {
#pragma unroll
      for (int i = 0; i < Shape::width; ++i)
        g.values[k][i] = p.values[k][i] * (g.values[k][i] - mean) * b.scale;
    });
    g.store(b.gradient + from + first, columns);
  });
}

Shape block_per_row(Index rows, unsigned threads) {
  return {dim3(static_cast<unsigned>(rows)), dim3(threads)};
}

}  // namespace

void CudaKernels::softmax_forward(const SoftmaxForward& a, Stream& stream) {
  const Index rows = a.matrices * a.rows;
  if (rows == 0) return;
  with_element(a.scores.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Forward<Element> forward{a, elements(a.scores, kind)};
    with_row_shape<Element>(a.columns, on_16_bytes(forward.scores),
                            [&](auto shape, unsigned threads) {
                              launch(forward_kernel<Element, decltype(shape)>,
                                     block_per_row(rows, threads), stream, forward);
                            });
  });
}

void CudaKernels::softmax_backward(const SoftmaxBackward& a, Stream& stream) {
  assert(a.probabilities.type == a.gradient.type);
  if (a.rows == 0) return;
  with_element(a.gradient.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Backward<Element> backward{a.columns, a.scale, elements(a.probabilities, kind),
                                     elements(a.gradient, kind)};
    with_row_shape<Element>(a.columns, on_16_bytes(backward.probabilities, backward.gradient),
                            [&](auto shape, unsigned threads) {
                              launch(backward_kernel<Element, decltype(shape)>,
                                     block_per_row(a.rows, threads), stream, backward);
                            });
  });
}

}  // namespace quintet::kernels::cuda
