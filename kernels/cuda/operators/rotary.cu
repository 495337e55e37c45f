#include "kernels/rotary.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

// Steps go over the first halves of all heads of all rows.
template <class Element>
struct RotateStep {
  Index half, heads, input_stride, output_stride;
  float direction;  // 1 or -1
  const std::int32_t* positions;
  const float* cosines;
  const float* sines;
  const Element* input;
  Element* output;

  template <int width>
  __device__ void operator()(Index at) const {
    const Index row = at / (half * heads);
    const Index place = at % half;
    const Index in_row = at / half % heads * 2 * half + place;
    const Index angle = positions[row] * half + place;
    float first[width], second[width], c[width], s[width];
    load_pack(input + row * input_stride + in_row, first);
    load_pack(input + row * input_stride + in_row + half, second);
    load_pack(cosines + angle, c);
    load_pack(sines + angle, s);
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float x = first[i], y = second[i], sine = direction * s[i];
      first[i] = x * c[i] - y * sine;
      second[i] = y * c[i] + x * sine;
    }
    store_pack(output + row * output_stride + in_row, first);
    store_pack(output + row * output_stride + in_row + half, second);
  }
};

}  // namespace

void CudaKernels::rotary(const Rotary& a, Stream& stream) {
  with_element(a.input.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Index width = a.heads * a.head_size;
    const RotateStep<Element> step{a.head_size / 2,
                                   a.heads,
                                   a.input_stride == 0 ? width : a.input_stride,
                                   a.output_stride == 0 ? width : a.output_stride,
                                   a.direction == RotaryDirection::forward ? 1.0F : -1.0F,
                                   a.positions,
                                   a.cosines,
                                   a.sines,
                                   elements(a.input, kind),
                                   elements(a.output, kind)};
    constexpr Index pack = pack_size<Element>;
    const bool packed = step.half % pack == 0 && step.input_stride % pack == 0 &&
                        step.output_stride % pack == 0 &&
                        on_16_bytes(a.cosines, a.sines, step.input, step.output);
    for_each<Element>(a.rows * a.heads * step.half, packed, stream, step);
  });
}

}  // namespace quintet::kernels::cuda
