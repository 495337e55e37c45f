// The norm of gradients, and what they are clipped by.
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/squares.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct Values {
  Index count;
  bool packed;
  Element* values;
};

struct SquaresOf {
  template <int width, class Element>
  __device__ void operator()(const Values<Element>& of, Index at, double (&sums)[1]) const {
    float v[width];
    load_pack(of.values + at, v);
    add_squares(v, sums[0]);
  }
};

struct Norm {
  double* result;
  float* rounded;  // optional
  bool accumulate;
};

__global__ void __launch_bounds__(piece_threads)
    add_blocks_kernel(unsigned blocks, const double* partial, Norm norm) {
  const double sum = sum_of_blocks(partial, 1, 0, 0, blocks);
  if (threadIdx.x != 0) return;
  const double whole = norm.accumulate ? *norm.result + sum : sum;
  *norm.result = whole;
  if (norm.rounded != nullptr) *norm.rounded = static_cast<float>(whole);
}

__global__ void clip_kernel(ClipFactor a) {
  const float given = a.loss_scale ? static_cast<float>(1.0 / *a.loss_scale) : a.scale;
  const double scale = static_cast<double>(given);
  const double norm = sqrt(static_cast<double>(*a.squared_norm)) * scale;
  const double clip = static_cast<double>(a.maximum_norm) / (norm + 1e-6);
  const bool kept = a.result == ScaledBy::kept;
  const bool endless = clip == 0.0;  // the norm's squares overflowed
  const bool clips = clip < 1.0 && !(kept && endless);
  const auto factor = static_cast<float>((clips ? clip : 1.0) * (kept ? 1.0 : scale));
  if (threadIdx.x == 0) *a.factor = factor * a.share;
}

struct Multiply {
  const float* factor;

  template <int width>
  __device__ void operator()(const Values<float>& of, Index at) const {
    float v[width];
    load_pack(of.values + at, v);
    const float by = *factor;
#pragma unroll
    for (int i = 0; i < width; ++i) v[i] *= by;
    store_pack(of.values + at, v);
  }
};

}  // namespace

void CudaKernels::squared_norm(const SquaredNorm& a, Stream& stream) {
  const ElementType type = a.stretches.items[0].values.type;
  with_element(type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    Dealt<Values<const Element>> dealt;
    for (const ConstStretch& stretch : a.stretches) {
      const Element* const values = elements(stretch.values, kind);
      dealt.add({stretch.count, on_16_bytes(values), values});
    }
    const double* const partial =
        squares_of_blocks<1, pack_size<Element>>(dealt, SquaresOf{}, scratch_, stream);
    const Norm norm{a.result, a.rounded, a.write == GradientWrite::accumulate};
    launch(add_blocks_kernel, Shape{dim3(1), dim3(piece_threads)}, stream, dealt.blocks(), partial,
           norm);
  });
}

void CudaKernels::clip_factor(const ClipFactor& a, Stream& stream) {
  launch(clip_kernel, Shape{dim3(1), dim3(warp_threads)}, stream, a);
}

void CudaKernels::scale_gradients(const ScaleGradients& a, Stream& stream) {
  Dealt<Values<float>> dealt;
  for (const GradientStretch& stretch : a.stretches)
    dealt.add({stretch.count, on_16_bytes(stretch.values), stretch.values});
  for_pieces<pack_size<float>>(dealt, stream, Multiply{a.factor});
}

}  // namespace quintet::kernels::cuda
