#include "kernels/layer_norm.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/column_sums.h"
#include "kernels/cuda/tile/norm_gradient.h"
#include "kernels/cuda/tile/norm_row.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct Forward {
  Index width;
  float epsilon;
  NormInput<Element> input;
  const Element* weight;
  const Element* bias;
  Element* output;
  float* mean;
  float* inverse_deviation;
};

template <class Element, class Shape>
__global__ void __launch_bounds__(most_row_threads) forward_kernel(Forward<Element> a) {
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index start = static_cast<Index>(blockIdx.x) * a.width;
  const auto width = static_cast<float>(a.width);
  OfRow x;
  const auto load_again = [&](Index first, Index columns) {
    if constexpr (!Shape::whole) a.input.load_again(x, start + first, start + first, columns);
  };
  float own = 0.0F;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    a.input.load(x, start + first, start + first, columns);
    own += OfRow::own_sum(columns, [&](int p, int i) { return x.values[p][i]; });
  });
  const float mean = sum_of_block(own) / width;
  own = 0.0F;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    load_again(first, columns);
    own += OfRow::own_sum(columns, [&](int p, int i) {
      const float centred = x.values[p][i] - mean;
      return centred * centred;
    });
  });
  const float inverse = 1.0F / sqrtf(sum_of_block(own) / width + a.epsilon);
  if (threadIdx.x == 0) {
    a.mean[blockIdx.x] = mean;
    a.inverse_deviation[blockIdx.x] = inverse;
  }
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    load_again(first, columns);
    OfRow::each(columns, [&](int p, Index column) {
      float w[Shape::width], b[Shape::width] = {};
      load_pack(a.weight + first + column, w);
      if (a.bias != nullptr) load_pack(a.bias + first + column, b);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i)
        x.values[p][i] = (x.values[p][i] - mean) * inverse * w[i] + b[i];
    });
    x.store(a.output + start + first, columns);
  });
}

template <class Element>
struct InputGradient {
  Index width;
  const Element* upstream;
  const Element* past;  // optional: what reaches x past the norm
  const Element* input;
  const Element* weight;
  const float* mean;
  const float* inverse_deviation;
  Element* gradient;
};

// With g = upstream * weight and n = (x - mean) / deviation: dx = (g - mean(g) - n mean(g n)) /
// deviation.
template <class Element, class Shape>
__global__ void __launch_bounds__(most_row_threads)
    input_gradient_kernel(InputGradient<Element> a) {
  using OfRow = Row<Shape::width, Shape::packs>;
  const Index start = static_cast<Index>(blockIdx.x) * a.width;
  const float mean = a.mean[blockIdx.x], inverse = a.inverse_deviation[blockIdx.x];
  const auto width = static_cast<float>(a.width);
  OfRow normal, g;
  const auto load = [&](Index first, Index columns) {
    normal.load(a.input + start + first, columns);
    g.load(a.upstream + start + first, columns);
    OfRow::each(columns, [&](int p, Index column) {
      float w[Shape::width];
      load_pack(a.weight + first + column, w);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i) {
        normal.values[p][i] = (normal.values[p][i] - mean) * inverse;
        g.values[p][i] *= w[i];
      }
    });
  };
  float own_g = 0.0F, own_gn = 0.0F;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    load(first, columns);
    own_g += OfRow::own_sum(columns, [&](int p, int i) { return g.values[p][i]; });
    own_gn +=
        OfRow::own_sum(columns, [&](int p, int i) { return g.values[p][i] * normal.values[p][i]; });
  });
  const float mean_g = sum_of_block(own_g) / width, mean_gn = sum_of_block(own_gn) / width;
  for_slices<Shape>(a.width, [&](Index first, Index columns) {
    if constexpr (!Shape::whole) load(first, columns);
    OfRow::each(columns, [&](int p, Index column) {
      float past[Shape::width] = {};
      if (a.past != nullptr) load_pack(a.past + start + first + column, past);
#pragma unroll
      for (int i = 0; i < Shape::width; ++i)
        g.values[p][i] =
            (g.values[p][i] - mean_g - normal.values[p][i] * mean_gn) * inverse + past[i];
    });
    g.store(a.gradient + start + first, columns);
  });
}

template <class Element>
struct WeightSummand {
  Index columns;
  const Element* upstream;
  const Element* input;
  const float* mean;
  const float* inverse_deviation;

  template <int width>
  __device__ void load(Index row, Index column, float (&sums)[2][width]) const {
    float x[width];
    load_pack(input + row * columns + column, x);
    load_pack(upstream + row * columns + column, sums[1]);
    const float middle = mean[row], inverse = inverse_deviation[row];
#pragma unroll
    for (int i = 0; i < width; ++i) sums[0][i] = sums[1][i] * ((x[i] - middle) * inverse);
  }
};

}  // namespace

void CudaKernels::layer_norm_forward(const LayerNormForward& a, Stream& stream) {
  if (a.rows == 0) return;
  with_element(a.output.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Forward<Element> forward{a.width,
                                   a.epsilon,
                                   norm_input(a, kind),
                                   elements(a.weight, kind),
                                   elements(a.bias, kind),
                                   elements(a.output, kind),
                                   a.mean,
                                   a.inverse_deviation};
    const bool packed =
        forward.input.on_16_bytes() && on_16_bytes(forward.weight, forward.bias, forward.output);
    with_row_shape<Element>(a.width, packed, [&](auto shape, unsigned threads) {
      launch(forward_kernel<Element, decltype(shape)>,
             Shape{dim3(static_cast<unsigned>(a.rows)), dim3(threads)}, stream, forward);
    });
  });
}

void CudaKernels::layer_norm_input_gradient(const LayerNormInputGradient& a, Stream& stream) {
  if (a.rows == 0) return;
  with_element(a.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const InputGradient<Element> gradient{a.width,
                                          elements(a.output_gradient, kind),
                                          elements(a.residual_gradient, kind),
                                          elements(a.input, kind),
                                          elements(a.weight, kind),
                                          a.mean,
                                          a.inverse_deviation,
                                          elements(a.input_gradient, kind)};
    const bool packed = on_16_bytes(gradient.upstream, gradient.past, gradient.input,
                                    gradient.weight, gradient.gradient);
    with_row_shape<Element>(a.width, packed, [&](auto shape, unsigned threads) {
      launch(input_gradient_kernel<Element, decltype(shape)>,
             Shape{dim3(static_cast<unsigned>(a.rows)), dim3(threads)}, stream, gradient);
    });
  });
}

void CudaKernels::layer_norm_weight_gradient(const LayerNormWeightGradient& a, Stream& stream) {
  with_element(a.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const WeightSummand<Element> summand{a.width, elements(a.output_gradient, kind),
                                         elements(a.input, kind), a.mean, a.inverse_deviation};
    sum_columns<Element, 2>(a.rows, a.width, on_16_bytes(summand.upstream, summand.input), summand,
                            {{a.weight_gradient, a.bias_gradient}}, a.write, scratch_, stream);
  });
}

void CudaKernels::layer_norm_gradient(const LayerNormGradient& a, Stream& stream) {
  const LayerNormInputGradient& by_input = a.input;
  bool done = false;
  with_element(by_input.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    done = norm_gradient<Element, NormSums::weight_and_bias>(
        {by_input.rows, by_input.width, elements(by_input.output_gradient, kind),
         elements(by_input.residual_gradient, kind), elements(by_input.input, kind),
         elements(by_input.weight, kind), by_input.mean, by_input.inverse_deviation,
         elements(by_input.input_gradient, kind)},
        {{a.weight.weight_gradient, a.weight.bias_gradient}}, a.weight.write, scratch_, stream);
  });
  if (!done) Kernels::layer_norm_gradient(a, stream);
}

}  // namespace quintet::kernels::cuda
