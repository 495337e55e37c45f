#include "kernels/rotary.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Turning back is turning by the negative angle.
template <class Element>
void rotate_head(const Element* input, Element* output, Index half, const float* cosines,
                 const float* sines, float sign) {
  for_lanes(half, [&](Index at, Index left) {
    const Lanes cosine = load(cosines + at, left);
    const Lanes sine = load(sines + at, left) * sign;
    const Lanes x = load(input + at, left);
    const Lanes y = load(input + half + at, left);
    store(output + at, x * cosine - y * sine, left);
    store(output + half + at, y * cosine + x * sine, left);
  });
}

template <class Element>
void rotate(const Rotary& a, Element* kind) {
  const Index half = a.head_size / 2;
  const Index width = a.heads * a.head_size;
  const Index input_stride = a.input_stride == 0 ? width : a.input_stride;
  const Index output_stride = a.output_stride == 0 ? width : a.output_stride;
  const float sign = a.direction == RotaryDirection::forward ? 1.0F : -1.0F;
  for (Index row = 0; row < a.rows; ++row) {
    const Index angles = a.positions[row] * half;
    for (Index head = 0; head < a.heads; ++head)
      rotate_head(elements(a.input, kind) + row * input_stride + head * a.head_size,
                  elements(a.output, kind) + row * output_stride + head * a.head_size, half,
                  a.cosines + angles, a.sines + angles, sign);
  }
}

}  // namespace

void CpuKernels::rotary(const Rotary& a, Stream&) {
  assert(a.head_size % 2 == 0);
  with_element(a.input.type, [&](auto* kind) { rotate(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
