// Element by element, and with the CPU's bits: products and sums are rounded one by one, never
// fused.
#include "kernels/replicator.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

__device__ float scaled_sum(float factor, float value, float addend) {
  return __fadd_rn(__fmul_rn(factor, value), addend);
}

__device__ float sign_of(float value) {
  return value < 0.0F ? -1.0F : value > 0.0F ? 1.0F : 0.0F;
}

struct MomentumStep {
  MomentumAdd all;
  template <int width>
  __device__ void operator()(Index at) const {
    const float rate = all.rate == nullptr ? 1.0F : *all.rate;
    float g[width], m[width];
    load_pack(all.gradient + at, g);
    load_pack(all.momentum + at, m);
#pragma unroll
    for (int i = 0; i < width; ++i) m[i] = scaled_sum(all.decay, m[i], __fmul_rn(rate, g[i]));
    store_pack(all.momentum + at, m);
  }
};

struct SubtractStep {
  Subtract all;
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width], a[width];
    load_pack(all.values + at, v);
    load_pack(all.addend + at, a);
#pragma unroll
    for (int i = 0; i < width; ++i) v[i] -= a[i];
    store_pack(all.values + at, v);
  }
};

template <class From, class To>
struct NumbersStep {
  const From* from;
  To* to;
  template <int width>
  __device__ void operator()(Index at) const {
#pragma unroll
    for (int i = 0; i < width; ++i) to[at + i] = static_cast<To>(from[at + i]);
  }
};

template <class From, class To>
void convert(Index count, const From* from, To* to, const Stream& stream) {
  for_each<float>(count, false, stream, NumbersStep<From, To>{from, to});
}

struct StrideStep {
  StridePositions all;
  template <int width>
  __device__ void operator()(Index at) const {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const Index position = all.first + (at + i) * all.stride;
      all.positions[at + i] =
          position < all.count ? static_cast<std::int32_t>(position) : no_position;
    }
  }
};

// No two positions are the same.
template <class Element>
struct TakeStep {
  const std::int32_t* positions;
  float* values;
  Element* taken;
  template <int width>
  __device__ void operator()(Index at) const {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const std::int32_t position = positions[at + i];
      const bool is_there = position != no_position;
      store_one(taken + at + i, is_there ? values[position] : 0.0F);
      if (is_there) values[position] -= to_float(taken[at + i]);
    }
  }
};

template <class Element>
struct PutStep {
  const std::int32_t* positions;
  const Element* given;
  float share;
  float* values;
  template <int width>
  __device__ void operator()(Index at) const {
#pragma unroll
    for (int i = 0; i < width; ++i)
      if (const std::int32_t position = positions[at + i]; position != no_position)
        values[position] = __fmul_rn(share, to_float(given[at + i]));
  }
};

template <class Element>
struct MergedStep {
  const Element* merged;
  float share;
  MergedAs as;
  float* gradient;
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width];
    load_pack(merged + at, v);
#pragma unroll
    for (int i = 0; i < width; ++i) {
      v[i] = __fmul_rn(share, v[i]);
      if (as == MergedAs::sign) v[i] = sign_of(v[i]);
    }
    store_pack(gradient + at, v);
  }
};

template <class Element>
struct DifferenceStep {
  const float* anchor;
  const float* parameter;
  Element* difference;
  template <int width>
  __device__ void operator()(Index at) const {
    float a[width], p[width];
    load_pack(anchor + at, a);
    load_pack(parameter + at, p);
#pragma unroll
    for (int i = 0; i < width; ++i) a[i] -= p[i];
    store_pack(difference + at, a);
  }
};

template <class Element, class Copied>
struct OuterStepOf {
  OuterStep all;
  const Element* sum;
  Copied* copy;  // optional
  template <int width>
  __device__ void operator()(Index at) const {
    float d[width], v[width], a[width];
    load_pack(sum + at, d);
    load_pack(all.velocity + at, v);
    load_pack(all.anchor + at, a);
#pragma unroll
    for (int i = 0; i < width; ++i) {
      d[i] = __fmul_rn(all.share, d[i]);
      v[i] = scaled_sum(all.momentum, v[i], d[i]);
      a[i] = scaled_sum(-all.rate, scaled_sum(all.momentum, v[i], d[i]), a[i]);
    }
    store_pack(all.velocity + at, v);
    store_pack(all.anchor + at, a);
    store_pack(all.parameter + at, a);
    if (copy != nullptr) store_pack(copy + at, a);
  }
};

}  // namespace

void CudaKernels::momentum_add(const MomentumAdd& a, Stream& stream) {
  for_each<float>(a.count, on_16_bytes(a.gradient, a.momentum), stream, MomentumStep{a});
}

void CudaKernels::subtract(const Subtract& a, Stream& stream) {
  for_each<float>(a.count, on_16_bytes(a.values, a.addend), stream, SubtractStep{a});
}

void CudaKernels::pack_positions(const PackPositions& a, Stream& stream) {
  assert(a.width == 2 || a.width == 4 || a.width == 8);
  if (a.width == 2) convert(a.count, a.positions, static_cast<std::uint16_t*>(a.packed), stream);
  if (a.width == 4) convert(a.count, a.positions, static_cast<std::int32_t*>(a.packed), stream);
  if (a.width == 8) convert(a.count, a.positions, static_cast<std::int64_t*>(a.packed), stream);
}

void CudaKernels::unpack_positions(const UnpackPositions& a, Stream& stream) {
  assert(a.width == 2 || a.width == 4 || a.width == 8);
  const auto from = [&](auto* packed) { convert(a.count, packed, a.positions, stream); };
  if (a.width == 2) from(static_cast<const std::uint16_t*>(a.packed));
  if (a.width == 4) from(static_cast<const std::int32_t*>(a.packed));
  if (a.width == 8) from(static_cast<const std::int64_t*>(a.packed));
}

void CudaKernels::stride_positions(const StridePositions& a, Stream& stream) {
  for_each<float>(a.chosen, false, stream, StrideStep{a});
}

void CudaKernels::take_elements(const TakeElements& a, Stream& stream) {
  with_element(a.taken.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    for_each<float>(a.chosen, false, stream,
                    TakeStep<Element>{a.positions, a.values, elements(a.taken, kind)});
  });
}

void CudaKernels::put_elements(const PutElements& a, Stream& stream) {
  if (a.count == 0) return;
  check(cudaMemsetAsync(a.values, 0, static_cast<std::size_t>(a.count) * sizeof(float),
                        stream_of(stream)),
        "a fill");
  with_element(a.given.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    for_each<float>(a.chosen, false, stream,
                    PutStep<Element>{a.positions, elements(a.given, kind), a.share, a.values});
  });
}

void CudaKernels::merged_gradient(const MergedGradient& a, Stream& stream) {
  with_element(a.merged.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const MergedStep<Element> step{elements(a.merged, kind), a.share, a.as, a.gradient};
    for_each<Element>(a.count, on_16_bytes(step.merged, step.gradient), stream, step);
  });
}

void CudaKernels::outer_difference(const OuterDifference& a, Stream& stream) {
  with_element(a.difference.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const DifferenceStep<Element> step{a.anchor, a.parameter, elements(a.difference, kind)};
    for_each<float>(a.count, on_16_bytes(step.anchor, step.parameter, step.difference), stream,
                    step);
  });
}

void CudaKernels::outer_step(const OuterStep& a, Stream& stream) {
  with_element(a.sum.type, [&](auto* kind) {
    with_element(a.working_copy.type, [&](auto* copied) {
      using Element = std::remove_pointer_t<decltype(kind)>;
      using Copied = std::remove_pointer_t<decltype(copied)>;
      const OuterStepOf<Element, Copied> step{a, elements(a.sum, kind),
                                              elements(a.working_copy, copied)};
      for_each<float>(a.count, on_16_bytes(step.sum, step.copy, a.velocity, a.anchor, a.parameter),
                      stream, step);
    });
  });
}

}  // namespace quintet::kernels::cuda
