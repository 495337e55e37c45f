// Elements of the three types in registers, alone and 16 bytes at once.
#pragma once

#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>

#include "kernels/cuda/tile/instructions.h"
#include "kernels/types.h"

namespace quintet::kernels::cuda {

__device__ inline float to_float(float value) {
  return value;
}
__device__ inline float to_float(Bfloat16 value) {
  return __uint_as_float(static_cast<std::uint32_t>(value.bits) << 16);
}
__device__ inline float to_float(Float16 value) {
  return widen_float16(value.bits);
}

__device__ inline void store_one(float* to, float value) {
  *to = value;
}
__device__ inline void store_one(Bfloat16* to, float value) {
  to->bits = round_to_bfloat16(value);
}
__device__ inline void store_one(Float16* to, float value) {
  to->bits = round_to_float16(value);
}

template <class Element, int count>
struct alignas(sizeof(Element) * count) Pack {
  Element values[count];
};

// Elements in 16 bytes.
template <class Element>
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(Element));

// `count` neighbours; the address is a multiple of their size together.
template <int count, class Element>
__device__ inline void load_pack(const Element* from, float (&to)[count]) {
  if constexpr (sizeof(Element) * count <= 16) {
    const auto pack = *reinterpret_cast<const Pack<Element, count>*>(from);
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = to_float(pack.values[i]);
  } else {
    constexpr int part = pack_size<Element>;
#pragma unroll
    for (int first = 0; first < count; first += part) {
      const auto pack = *reinterpret_cast<const Pack<Element, part>*>(from + first);
#pragma unroll
      for (int i = 0; i < part; ++i) to[first + i] = to_float(pack.values[i]);
    }
  }
}

template <int count, class Element>
__device__ inline void store_pack(Element* to, const float (&from)[count]) {
  constexpr int part = sizeof(Element) * count <= 16 ? count : pack_size<Element>;
#pragma unroll
  for (int first = 0; first < count; first += part) {
    Pack<Element, part> pack;
#pragma unroll
    for (int i = 0; i < part; ++i) store_one(&pack.values[i], from[first + i]);
    *reinterpret_cast<Pack<Element, part>*>(to + first) = pack;
  }
}

template <class Element>
Element* elements(const Tensor& tensor, const Element*) {
  return static_cast<Element*>(tensor.data);
}
template <class Element>
const Element* elements(const ConstTensor& tensor, const Element*) {
  return static_cast<const Element*>(tensor.data);
}

// work(static_cast<Element*>(nullptr)) with the type's own struct; fp16 belongs to casts alone.
template <class Work>
void with_element(ElementType type, Work work) {
  switch (type) {
    case ElementType::fp32:
      return work(static_cast<float*>(nullptr));
    case ElementType::bf16:
      return work(static_cast<Bfloat16*>(nullptr));
    case ElementType::fp16:
      assert(false);
      return;
  }
}
template <class Work>
void with_any_element(ElementType type, Work work) {
  switch (type) {
    case ElementType::fp32:
      return work(static_cast<float*>(nullptr));
    case ElementType::bf16:
      return work(static_cast<Bfloat16*>(nullptr));
    case ElementType::fp16:
      return work(static_cast<Float16*>(nullptr));
  }
}

// Whether packs of 16 bytes may be read from all of them; no memory does not matter.
template <class... Pointers>
bool on_16_bytes(const Pointers*... memory) {
  return ((reinterpret_cast<std::uintptr_t>(memory) % 16 == 0) && ...);
}

}  // namespace quintet::kernels::cuda
