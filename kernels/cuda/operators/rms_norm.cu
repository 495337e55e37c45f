#include "kernels/rms_norm.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/column_sums.h"
#include "kernels/cuda/tile/norm_gradient.h"
#include "kernels/cuda/tile/norm_row.h"

namespace quintet::kernels::cuda {

namespace {

__device__ Index offset_of(const RowsOfHeads& rows, Index row, Index width) {
  if (rows.stride == 0) return row * width;
  return row / rows.heads * rows.stride + row % rows.heads * width;
}

template <class Element>
bool whole_packs(const RowsOfHeads& rows) {
  return rows.stride % pack_size<Element> == 0;
}

template <class Element>
struct Forward {
  Index width;
  float epsilon;
  RowsOfHeads input_rows, output_rows;
  NormInput<Element> input;
  const Element* weight;
  Element* output;
  float* inverse_rms;
};

template <class Element, class Shape>
__global__ void __launch_bounds__(most_row_threads) forward_kernel(Forward<Element> a) {
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index row = blockIdx.x;
  const Index from = offset_of(a.input_rows, row, a.width), flat = row * a.width;
  const Index to = offset_of(a.output_rows, row, a.width);
  OfRow x;
  float own = 0.0F;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    a.input.load(x, from + first, flat + first, columns);
    own += OfRow::own_sum(columns, [&](int p, int i) { return x.values[p][i] * x.values[p][i]; });
  });
  const float squares = sum_of_block(own);
  const float inverse = 1.0F / sqrtf(squares / static_cast<float>(a.width) + a.epsilon);
  if (threadIdx.x == 0) a.inverse_rms[row] = inverse;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    if constexpr (!Shape::whole) a.input.load_again(x, from + first, flat + first, columns);
    OfRow::each(columns, [&](int p, Index column) {
      float w[Shape::width];
      load_pack(a.weight + first + column, w);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i) x.values[p][i] *= inverse * w[i];
    });
    x.store(a.output + to + first, columns);
  });
}

template <class Element>
struct InputGradient {
  Index width;
  RowsOfHeads input_rows, gradient_rows;
  const Element* upstream;
  const Element* past;  // optional: what reaches x past the norm
  const Element* input;
  const Element* weight;
  const float* inverse_rms;
  Element* gradient;
};

// With g = upstream * weight and n = x / rms: dx = (g - n mean(g n)) / rms.
template <class Element, class Shape>
__global__ void __launch_bounds__(most_row_threads)
    input_gradient_kernel(InputGradient<Element> a) {
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index row = blockIdx.x;
  const Index from = offset_of(a.input_rows, row, a.width);
  const Index to = offset_of(a.gradient_rows, row, a.width);
  const float inverse = a.inverse_rms[row];
  OfRow normal, g;
  const auto load = [&](Index first, Index columns) {
    normal.load(a.input + from + first, columns);
    g.load(a.upstream + to + first, columns);
    OfRow::each(columns, [&](int p, Index column) {
      float w[Shape::width];
      load_pack(a.weight + first + column, w);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i) {
        normal.values[p][i] *= inverse;
        g.values[p][i] *= w[i];
      }
    });
  };
  float own = 0.0F;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    load(first, columns);
    own +=
        OfRow::own_sum(columns, [&](int p, int i) { return g.values[p][i] * normal.values[p][i]; });
  });
  const float mean_gn = sum_of_block(own) / static_cast<float>(a.width);
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    if constexpr (!Shape::whole) load(first, columns);
    OfRow::each(columns, [&](int p, Index column) {
      float past[Shape::width] = {};
      if (a.past != nullptr) load_pack(a.past + row * a.width + first + column, past);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i)
        g.values[p][i] = (g.values[p][i] - normal.values[p][i] * mean_gn) * inverse + past[i];
    });
    g.store(a.gradient + to + first, columns);
  });
}

template <class Element>
struct WeightSummand {
  Index columns;
  RowsOfHeads input_rows, gradient_rows;
  const Element* upstream;
  const Element* input;
  const float* inverse_rms;

  template <int width>
  __device__ void load(Index row, Index column, float (&sums)[1][width]) const {
    float x[width];
    load_pack(input + offset_of(input_rows, row, columns) + column, x);
    load_pack(upstream + offset_of(gradient_rows, row, columns) + column, sums[0]);
    const float inverse = inverse_rms[row];
#pragma unroll
    for (int i = 0; i < width; ++i) sums[0][i] *= x[i] * inverse;
  }
};

}  // namespace

void CudaKernels::rms_norm_forward(const RmsNormForward& a, Stream& stream) {
  if (a.rows == 0) return;
  with_element(a.output.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Forward<Element> forward{a.width,
                                   a.epsilon,
                                   a.input_rows,
                                   a.output_rows,
                                   norm_input(a, kind),
                                   elements(a.weight, kind),
                                   elements(a.output, kind),
                                   a.inverse_rms};
    const bool packed = forward.input.on_16_bytes() &&
                        on_16_bytes(forward.weight, forward.output) &&
                        whole_packs<Element>(a.input_rows) && whole_packs<Element>(a.output_rows);
    with_row_shape<Element>(a.width, packed, [&](auto shape, unsigned threads) {
      launch(forward_kernel<Element, decltype(shape)>,
             Shape{dim3(static_cast<unsigned>(a.rows)), dim3(threads)}, stream, forward);
    });
  });
}

void CudaKernels::rms_norm_input_gradient(const RmsNormInputGradient& a, Stream& stream) {
  if (a.rows == 0) return;
  with_element(a.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const InputGradient<Element> gradient{a.width,
                                          a.input_rows,
                                          a.gradient_rows,
                                          elements(a.output_gradient, kind),
                                          elements(a.residual_gradient, kind),
                                          elements(a.input, kind),
                                          elements(a.weight, kind),
                                          a.inverse_rms,
                                          elements(a.input_gradient, kind)};
    const bool packed = on_16_bytes(gradient.upstream, gradient.past, gradient.input,
                                    gradient.weight, gradient.gradient) &&
                        whole_packs<Element>(a.input_rows) && whole_packs<Element>(a.gradient_rows);
    with_row_shape<Element>(a.width, packed, [&](auto shape, unsigned threads) {
      launch(input_gradient_kernel<Element, decltype(shape)>,
             Shape{dim3(static_cast<unsigned>(a.rows)), dim3(threads)}, stream, gradient);
    });
  });
}

void CudaKernels::rms_norm_weight_gradient(const RmsNormWeightGradient& a, Stream& stream) {
  with_element(a.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const WeightSummand<Element> summand{a.width,
                                         a.input_rows,
                                         a.gradient_rows,
                                         elements(a.output_gradient, kind),
                                         elements(a.input, kind),
                                         a.inverse_rms};
    const bool packed = on_16_bytes(summand.upstream, summand.input) &&
                        whole_packs<Element>(a.input_rows) && whole_packs<Element>(a.gradient_rows);
    sum_columns<Element, 1>(a.rows, a.width, packed, summand, {{a.weight_gradient}}, a.write,
                            scratch_, stream);
  });
}

// Rows that are heads of wider ones have no pass of both.
void CudaKernels::rms_norm_gradient(const RmsNormGradient& a, Stream& stream) {
  const RmsNormInputGradient& by_input = a.input;
  bool done = false;
  if (by_input.input_rows.stride == 0 && by_input.gradient_rows.stride == 0)
    with_element(by_input.input.type, [&](auto* kind) {
      using Element = std::remove_pointer_t<decltype(kind)>;
      done = norm_gradient<Element, NormSums::weight>(
          {by_input.rows, by_input.width, elements(by_input.output_gradient, kind),
           elements(by_input.residual_gradient, kind), elements(by_input.input, kind),
           elements(by_input.weight, kind), nullptr, by_input.inverse_rms,
           elements(by_input.input_gradient, kind)},
          {{a.weight.weight_gradient}}, a.weight.write, scratch_, stream);
    });
  if (!done) Kernels::rms_norm_gradient(a, stream);
}

}  // namespace quintet::kernels::cuda
