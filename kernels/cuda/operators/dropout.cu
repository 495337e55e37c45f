#include "kernels/dropout.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/each.h"
#include "kernels/philox.h"

namespace quintet::kernels::cuda {

namespace {

template <class Element>
struct DropStep {
  std::uint64_t seed, draw;
  std::uint32_t threshold;  // an element is kept when its word is at least this
  float factor;
  Index width, whole_width, first;  // first: number of this tensor's first element in the whole
  const Element* input;
  Element* output;

  __device__ PhiloxWords words_of(std::uint64_t element) const {
    const std::uint64_t group = element / 4;
    return philox(seed, {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(group >> 32),
                         static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)});
  }

  template <int count>
  __device__ void operator()(Index at) const {
    float values[count];
    load_pack(input + at, values);
    const auto whole = static_cast<std::uint64_t>(first + at / width * whole_width + at % width);
    PhiloxWords words = words_of(whole);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::uint64_t element = whole + static_cast<std::uint64_t>(i);
      if (i > 0 && element % 4 == 0) words = words_of(element);
      const std::uint32_t word = words[element % 4];
      values[i] = word >= threshold ? values[i] * factor : 0.0F;
    }
    store_pack(output + at, values);
  }
};

}  // namespace

void CudaKernels::dropout(const Dropout& a, Stream& stream) {
  assert(a.probability >= 0.0F && a.probability < 1.0F);
  with_element(a.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Index whole = a.whole_width == 0 ? a.width : a.whole_width;
    const DropStep<Element> step{
        a.seed,
        a.draw,
        static_cast<std::uint32_t>(static_cast<double>(a.probability) * 0x1p32),
        1.0F / (1.0F - a.probability),
        a.width,
        whole,
        a.first_row * whole + a.first_column,
        elements(a.input, kind),
        elements(a.output, kind)};
    const bool packed = a.width % pack_size<Element> == 0 && on_16_bytes(step.input, step.output);
    for_each<Element>(a.rows * a.width, packed, stream, step);
  });
}

}  // namespace quintet::kernels::cuda
