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

float scale_of(float maximum, Float8Form form) {
  const float least = maximum < smallest_maximum ? smallest_maximum : maximum;
  return least / largest_float8(form);
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
    *a.scales = scale_of(*a.maximum, a.form);
    return;
  }
  const Index lines = a.blocks == ScaleBlocks::squares_of_128 ? scale_block : 1;
  for (Index line = 0; line < from.lines; line += lines)
    for (Index at = 0; at < from.depth; at += scale_block)
      a.scales[scale_place(a.blocks, from.lines, from.depth, line, at)] =
          scale_of(maximum_of_block(from, line, lines, at), a.form);
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

}  // namespace

void CpuKernels::absolute_maximum(const AbsoluteMaximum& a, Stream&) {
  with_element(a.values.type,
               [&](auto* kind) { *a.result = maximum_of(elements(a.values, kind), a.count); });
}

void CpuKernels::quantise(const Quantise& a, Stream&) {
  with_element(a.input.type, [&](auto* kind) {
    const auto from = source_of(a, elements(a.input, kind));
    make_scales(a, from);
    make_codes(a, from);
  });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
