#include "kernels/elementwise.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct AddStep {
  const Element* left;
  const Element* right;
  Element* output;
  template <int width>
  __device__ void operator()(Index at) const {
    float l[width], r[width];
    load_pack(left + at, l);
    load_pack(right + at, r);
#pragma unroll
    for (int i = 0; i < width; ++i) l[i] += r[i];
    store_pack(output + at, l);
  }
};

template <class Element>
struct AccumulateStep {
  const Element* addend;
  float* sum;
  template <int width>
  __device__ void operator()(Index at) const {
    float a[width], s[width];
    load_pack(addend + at, a);
    load_pack(sum + at, s);
#pragma unroll
    for (int i = 0; i < width; ++i) s[i] += a[i];
    store_pack(sum + at, s);
  }
};

template <class Element>
struct CombineStep {
  Combine all;
  __device__ Element* term(int which) const { return static_cast<Element*>(all.term[which]); }
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width], next[width];
    load_pack(term(0) + at, v);
    for (int which = 1; which < all.terms; ++which) {
      load_pack(term(which) + at, next);
#pragma unroll
      for (int i = 0; i < width; ++i)
        v[i] = all.by == Combining::sum ? v[i] + next[i] : (next[i] > v[i] ? next[i] : v[i]);
    }
    if (all.into != Combine::into_every_term) return store_pack(term(all.into) + at, v);
    for (int which = 0; which < all.terms; ++which) store_pack(term(which) + at, v);
  }
};

template <class Element>
struct ScaleStep {
  Element* values;
  const float* factor;
  template <int width>
  __device__ void operator()(Index at) const {
    const float by = *factor;
    float v[width];
    load_pack(values + at, v);
#pragma unroll
    for (int i = 0; i < width; ++i) v[i] *= by;
    store_pack(values + at, v);
  }
};

template <class From, class To>
struct CastStep {
  const From* from;
  To* to;
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width];
    load_pack(from + at, v);
    store_pack(to + at, v);
  }
};

// Few numbers: one at a time.
template <class From, class To>
struct ConvertStep {
  const From* from;
  To* to;
  template <int width>
  __device__ void operator()(Index at) const {
#pragma unroll
    for (int i = 0; i < width; ++i) to[at + i] = static_cast<To>(from[at + i]);
  }
};

template <class Element>
struct FindStep {
  const Element* values;
  std::int32_t* found;
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width];
    load_pack(values + at, v);
    bool any = false;
#pragma unroll
    for (int i = 0; i < width; ++i)
      any = any || (__float_as_uint(v[i]) & 0x7F800000U) == 0x7F800000U;
    if (any) *found = 1;  // whoever writes last writes the same
  }
};

}  // namespace

void CudaKernels::residual_add(const ResidualAdd& a, Stream& stream) {
  with_element(a.output.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const AddStep<Element> step{elements(a.left, kind), elements(a.right, kind),
                                elements(a.output, kind)};
    for_each<Element>(a.count, on_16_bytes(step.left, step.right, step.output), stream, step);
  });
}

void CudaKernels::accumulate(const Accumulate& a, Stream& stream) {
  with_element(a.addend.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const AccumulateStep<Element> step{elements(a.addend, kind), a.sum};
    for_each<Element>(a.count, on_16_bytes(step.addend, step.sum), stream, step);
  });
}

void CudaKernels::combine(const Combine& a, Stream& stream) {
  assert(a.terms >= 1 && a.terms <= Combine::most_terms && a.into < a.terms);
  const bool packed = std::all_of(a.term, a.term + a.terms, [](const void* term) {
    return on_16_bytes(static_cast<const std::byte*>(term));
  });
  with_element(a.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    for_each<Element>(a.count, packed, stream, CombineStep<Element>{a});
  });
}

void CudaKernels::scale(const Scale& a, Stream& stream) {
  with_element(a.values.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const ScaleStep<Element> step{elements(a.values, kind), a.factor};
    for_each<Element>(a.count, on_16_bytes(step.values), stream, step);
  });
}

void CudaKernels::cast(const Cast& a, Stream& stream) {
  with_any_element(a.from.type, [&](auto* from) {
    with_any_element(a.to.type, [&](auto* to) {
      using From = std::remove_pointer_t<decltype(from)>;
      using To = std::remove_pointer_t<decltype(to)>;
      using Narrower = std::conditional_t<sizeof(From) < sizeof(To), From, To>;
      const CastStep<From, To> step{elements(a.from, from), elements(a.to, to)};
      for_each<Narrower>(a.count, on_16_bytes(step.from, step.to), stream, step);
    });
  });
}

void CudaKernels::narrow(const Narrow& a, Stream& stream) {
  for_each<float>(a.count, false, stream, ConvertStep<double, float>{a.from, a.to});
}

void CudaKernels::widen(const Widen& a, Stream& stream) {
  for_each<float>(a.count, false, stream, ConvertStep<float, double>{a.from, a.to});
}

void CudaKernels::find_non_finite(const FindNonFinite& a, Stream& stream) {
  with_element(a.values.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const FindStep<Element> step{elements(a.values, kind), a.found};
    for_each<Element>(a.count, on_16_bytes(step.values), stream, step);
  });
}

}  // namespace quintet::kernels::cuda
