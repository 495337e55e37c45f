// What layer norm and RMS norm share: the residual before them, the gradient past them, and both
// gradients of a row at once.
#pragma once

#include "kernels/cpu/column_sums.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// One row of x: the input, or input + residual rounded to the type of the sum and written there;
// and the sum over the row of measure(x).
template <class Element>
struct SummedRow {
  const Element* x = nullptr;
  float sum = 0;
};

template <class Norm, class Element, class Measure>
QUINTET_LANES SummedRow<Element> summed_row(const Norm& a, Index row, const Element* input,
                                            Measure measure) {
  const auto in_input = [&](Index at, Index left) { return measure(load(input + at, left)); };
  if (a.residual.data == nullptr) return {input, sum_over(a.width, in_input)};
  const Element* const residual = elements(a.residual, input) + row * a.width;
  Element* const sum = elements(a.sum, input) + row * a.width;
  const auto in_sum = [&](Index at, Index left) {
    store(sum + at, load(input + at, left) + load(residual + at, left), left);
    return measure(load(sum + at, left));
  };
  return {sum, sum_over(a.width, in_sum)};
}

// What comes past the norm, 0 where nothing does.
template <class Element>
QUINTET_LANES Lanes past_the_norm(const ConstTensor& residual_gradient, Index offset, Index left,
                                  Element* kind) {
  if (residual_gradient.data == nullptr) return Lanes{};
  return load(elements(residual_gradient, kind) + offset, left);
}

// A row of the backward pass. n = (x - mean) inverse.
template <class Element>
struct NormGradientRow {
  const Element* x = nullptr;
  const Element* upstream = nullptr;
  const Element* past = nullptr;  // optional: what comes past the norm
  const Element* weight = nullptr;
  Element* gradient = nullptr;  // may be the memory of upstream or past
  float mean = 0, inverse = 0;

  QUINTET_LANES Lanes normal(Index at, Index left) const {
    return (load(x + at, left) - mean) * inverse;
  }
};

// With g = upstream weight: gradient = (g - mean(g) - n mean(g n)) inverse + past, and the row's
// upstream n and upstream are added to the columns of two sums. The bits are those of the two
// operators one after the other. Not `centred`: x has no mean taken off, and there is no second
// sum.
template <bool centred, class Element>
QUINTET_FLAT void norm_gradient_row(const NormGradientRow<Element>& row, Index columns,
                                    float* of_weight, float* of_bias) {
  StrandSum sum_g, sum_gn;
  in_strands(columns, [&](Index at, Index left, Index strand) {
    const Lanes upstream = load(row.upstream + at, left);
    const Lanes normal = centred ? row.normal(at, left) : load(row.x + at, left) * row.inverse;
    store(of_weight + at, load(of_weight + at, left) + upstream * normal, left);
    if constexpr (centred) store(of_bias + at, load(of_bias + at, left) + upstream, left);
    const Lanes g = upstream * load(row.weight + at, left);
    if constexpr (centred) sum_g.add(g, left, strand);
    sum_gn.add(g * normal, left, strand);
  });
  const auto width = static_cast<float>(columns);
  const float mean_g = centred ? sum_g.total() / width : 0.0F, mean_gn = sum_gn.total() / width;
  for_lanes(columns, [&](Index at, Index left) {
    const Lanes past = row.past == nullptr ? Lanes{} : load(row.past + at, left);
    const Lanes g = load(row.upstream + at, left) * load(row.weight + at, left);
    const Lanes normal = centred ? row.normal(at, left) : load(row.x + at, left) * row.inverse;
    const Lanes slope = centred ? g - mean_g - normal * mean_gn : g - normal * mean_gn;
    store(row.gradient + at, multiply_add(slope, lanes(row.inverse), past), left);
  });
}

QUINTET_LANES void add_block(const float* block, Index columns, bool first, GradientWrite write,
                             float* to) {
  const bool fresh = first && write == GradientWrite::overwrite;
  for_lanes(columns, [&](Index at, Index left) {
    const Lanes before = fresh ? Lanes{} : load(to + at, left);
    store(to + at, before + load(block + at, left), left);
  });
}

// Both gradients of all rows, row(number) -> NormGradientRow, with the order of column_sums.h.
// False where the scratch has no room for the sums; then nothing was done.
template <bool centred, class Row>
QUINTET_LANES bool norm_gradients(Index rows, Index columns, GradientWrite write,
                                  float* weight_gradient, float* bias_gradient,
                                  ProductScratch& scratch, Row row) {
  constexpr Index room = sizeof scratch.sum / sizeof(float) / 2;
  if (columns > room || rows == 0) return false;
  float *const of_weight = scratch.sum, *const of_bias = scratch.sum + room;
  for (Index first = 0; first < rows; first += row_block) {
    const Index end = rows - first < row_block ? rows : first + row_block;
    for_lanes(columns, [&](Index at, Index left) {
      store(of_weight + at, Lanes{}, left);
      store(of_bias + at, Lanes{}, left);
    });
    for (Index r = first; r < end; ++r)
      norm_gradient_row<centred>(row(r), columns, of_weight, of_bias);
    add_block(of_weight, columns, first == 0, write, weight_gradient);
    if (centred && bias_gradient != nullptr)
      add_block(of_bias, columns, first == 0, write, bias_gradient);
  }
  return true;
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
