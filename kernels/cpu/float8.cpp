#include "kernels/float8.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"
#include "kernels/float8_code.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// NaN wins.
QUINTET_LANES float larger_magnitude(float so_far, float value) {
  const float magnitude = __builtin_fabsf(value);
  return magnitude > so_far || magnitude != magnitude ? magnitude : so_far;
}

template <class Element>
float maximum_of(const Element* values, Index count) {
  float largest = 0.0F;
  for (Index at = 0; at < count; ++at) {
    largest = larger_magnitude(largest, load_one(values + at));
    if (largest != largest) return largest;
  }
  return largest;
}

float scale_of(float maximum, const Quantise& a) {
  const float least = maximum < smallest_maximum ? smallest_maximum : maximum;
  if (a.scale_form == ScaleForm::largest) return least / largest_float8(a.form);
  const auto bits = __builtin_bit_cast(std::uint32_t, least);
  return __builtin_bit_cast(float, power_of_two_scale(a.form, bits));
}

// The matrix that is written, read from the one that is there.
template <class Element>
struct Source {
  const Element* values;
  Index lines, depth, line_step, depth_step;
  float at(Index line, Index k) const {
    return load_one(values + line * line_step + k * depth_step);
  }
};

template <class Element>
Source<Element> source_of(const Quantise& a, const Element* values) {
  if (a.as == QuantiseAs::transpose) return {values, a.columns, a.rows, 1, a.columns};
  return {values, a.rows, a.columns, a.columns, 1};
}

Index least(Index a, Index b) {
  return a < b ? a : b;
}

template <class Element>
float maximum_of_block(const Source<Element>& from, Index line, Index lines, Index at) {
  float largest = 0.0F;
  for (Index l = line; l < least(line + lines, from.lines); ++l)
    for (Index k = at; k < least(at + scale_block, from.depth); ++k) {
      largest = larger_magnitude(largest, from.at(l, k));
      if (largest != largest) return largest;
    }
  return largest;
}

template <class Element>
void make_scales(const Quantise& a, const Source<Element>& from) {
  if (a.blocks == ScaleBlocks::tensor) {
    *a.scales = scale_of(*a.maximum, a);
    return;
  }
  const Index lines = a.blocks == ScaleBlocks::squares_of_128 ? scale_block : 1;
  for (Index line = 0; line < from.lines; line += lines)
    for (Index at = 0; at < from.depth; at += scale_block)
      a.scales[scale_place(a.blocks, from.lines, from.depth, line, at)] =
          scale_of(maximum_of_block(from, line, lines, at), a);
}

template <class Element>
void make_codes(const Quantise& a, const Source<Element>& from) {
  for (Index line = 0; line < from.lines; ++line)
    for (Index k = 0; k < from.depth; ++k) {
      const float scale = a.scales[scale_place(a.blocks, from.lines, from.depth, line, k)];
      const float scaled = from.at(line, k) / scale;
      a.codes[line * from.depth + k].bits =
          float8_of(a.form, __builtin_bit_cast(std::uint32_t, scaled));
    }
}

template <class Element>
void make_values(const Dequantise& a, Element* values) {
  for (Index line = 0; line < a.lines; ++line)
    for (Index k = 0; k < a.depth; ++k) {
      const Index at = line * a.depth + k;
      const std::uint32_t bits = float8_bits(a.matrix.form, a.matrix.codes[at].bits);
      const float scale = a.matrix.scales[scale_place(a.matrix.blocks, a.lines, a.depth, line, k)];
      store_one(values + at, __builtin_bit_cast(float, bits) * scale);
    }
}

}  // namespace

void CpuKernels::absolute_maximum(const AbsoluteMaximum& a, Stream&) {
  with_element(a.values.type,
               [&](auto* kind) { *a.result = maximum_of(elements(a.values, kind), a.count); });
  if (a.observed != nullptr) *a.observed = larger_magnitude(*a.observed, *a.result);
  if (a.delayed != nullptr && *a.delayed > 0) *a.result = *a.delayed;
}

void CpuKernels::roll_maxima(const RollMaxima& a, Stream&) {
  for (Index tensor = 0; tensor < a.tensors; ++tensor) {
    float* const history = a.history + tensor * a.length;
    const float seen = a.observed[tensor];
    history[a.slot] = seen - seen == 0.0F ? seen : 0.0F;
    float largest = 0.0F;
    for (Index at = 0; at < a.length; ++at)
      if (history[at] > largest) largest = history[at];
    a.maxima[tensor] = a.factor * largest;
    a.observed[tensor] = 0.0F;
  }
}

void CpuKernels::quantise(const Quantise& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) {
    const auto from = source_of(a, elements(a.input, kind));
    make_scales(a, from);
    make_codes(a, from);
  });
}

void CpuKernels::dequantise(const Dequantise& a, Stream&) {
  with_element(a.values.type, [&](auto* kind) { make_values(a, elements(a.values, kind)); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
