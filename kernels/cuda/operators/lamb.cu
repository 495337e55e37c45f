#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/parameter_stretch.h"
#include "kernels/cuda/tile/squares.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int wide = pack_size<float>;
constexpr int norms = 2;  // of the parameter and of its direction

template <class Element, class Moment>
struct LambItem : Trained<Element, Moment> {
  float* direction = nullptr;
  float* squared_parameter_norm = nullptr;
  float* squared_direction_norm = nullptr;
};

template <class Element, class Moment>
Dealt<LambItem<Element, Moment>> dealt(const List<LambStretch>& stretches, Element* gradients,
                                       Moment* moments) {
  Dealt<LambItem<Element, Moment>> made;
  for (const LambStretch& a : stretches) {
    LambItem<Element, Moment> item{trained(a.of, gradients, moments), a.direction,
                                   a.squared_parameter_norm, a.squared_direction_norm};
    item.packed = item.packed && on_16_bytes(a.direction);
    made.add(item);
  }
  return made;
}

struct FindDirection {
  const float* factor;
  AdamStep adam;

  template <int width, class Element, class Moment>
  __device__ void operator()(const LambItem<Element, Moment>& to, Index at,
                             double (&sums)[norms]) const {
    if (!adam.numbers->happens) return;
    float g[width], p[width];
    to.load_gradient(at, factor, g);
    adam.direction(to, at, g);
    load_pack(to.parameter + at, p);
#pragma unroll
    for (int i = 0; i < width; ++i) g[i] += to.weight_decay * p[i];
    store_pack(to.direction + at, g);
    add_squares(p, sums[0]);
    add_squares(g, sums[1]);
  }
};

// A block per stretch. Stretches of one tensor are added by the block of the first of them.
template <class Item>
__global__ void __launch_bounds__(piece_threads)
    add_norms_kernel(const __grid_constant__ Dealt<Item> dealt, const double* partial) {
  const int own = static_cast<int>(blockIdx.x);
  float* const to[norms] = {dealt.items[own].squared_parameter_norm,
                            dealt.items[own].squared_direction_norm};
  if (to[0] == nullptr) return;
  for (int before = 0; before < own; ++before)
    if (dealt.items[before].squared_parameter_norm == to[0]) return;
  for (int item = own; item < dealt.number; ++item) {
    if (dealt.items[item].squared_parameter_norm != to[0]) continue;
#pragma unroll
    for (int i = 0; i < norms; ++i) {
      const double sum =
          sum_of_blocks(partial, norms, i, dealt.first_block[item], dealt.first_block[item + 1]);
      if (threadIdx.x == 0) *to[i] += static_cast<float>(sum);
    }
  }
}

struct TakeStep {
  const UpdateNumbers* numbers;

  template <int width, class Element, class Moment>
  __device__ void operator()(const LambItem<Element, Moment>& to, Index at) const {
    if (!numbers->happens) return;
    const auto of_parameter = static_cast<double>(*to.squared_parameter_norm);
    const auto of_direction = static_cast<double>(*to.squared_direction_norm);
    const bool has_ratio = of_parameter > 0.0 && of_direction > 0.0;
    const double ratio = has_ratio ? sqrt(of_parameter / of_direction) : 1.0;
    const auto rate = static_cast<float>(static_cast<double>(numbers->learning_rate) * ratio);
    float p[width], d[width];
    load_pack(to.parameter + at, p);
    load_pack(to.direction + at, d);
#pragma unroll
    for (int i = 0; i < width; ++i) p[i] -= rate * d[i];
    to.store_parameter(at, p);
  }
};

}  // namespace

void CudaKernels::lamb_direction(const LambDirection& a, Stream& stream) {
  if (a.stretches.number == 0) return;
  const FindDirection find{a.gradient_factor, AdamStep::of(a.adam, a.numbers)};
  with_types(a.stretches.items[0].of, [&](auto* gradients, auto* moments) {
    using Item = LambItem<std::remove_pointer_t<decltype(gradients)>,
                          std::remove_pointer_t<decltype(moments)>>;
    const Dealt<Item> items = dealt(a.stretches, gradients, moments);
    const double* const partial = squares_of_blocks<norms, wide>(items, find, scratch_, stream);
    const Shape shape{dim3(static_cast<unsigned>(items.number)), dim3(piece_threads)};
    launch(add_norms_kernel<Item>, shape, stream, items, partial);
  });
}

void CudaKernels::lamb_step(const LambStep& a, Stream& stream) {
  auto* const any = static_cast<float*>(nullptr);  // neither gradients nor moments are read
  for_pieces<wide>(dealt(a.stretches, any, any), stream, TakeStep{a.numbers});
}

}  // namespace quintet::kernels::cuda
