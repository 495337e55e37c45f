// Rows of scores, whole vectors of columns from the first that holds a key which the query sees;
// the columns beside them are zeros that add nothing.
#include "kernels/softmax.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/functions.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Columns of a row, of which the query sees those from `first`.
struct Columns {
  Index first, end;
};

Columns seen_columns(const SoftmaxForward& a, Index row) {
  Index end = a.columns;
  if (a.mask == AttentionMask::causal) end = row + 1 + a.columns - a.rows;
  if (end < 0) end = 0;
  return {a.window > 0 && end > a.window ? end - a.window : 0, end};
}

// From vector to vector: (place, how many of it lie before the end).
template <class Do>
QUINTET_LANES void for_seen(Columns seen, Do do_vector) {
  for (Index at = seen.first / lane_count * lane_count; at < seen.end; at += lane_count)
    do_vector(at, seen.end - at < lane_count ? seen.end - at : lane_count);
}

template <class Element>
QUINTET_LANES Lanes scaled_scores(const SoftmaxForward& a, Columns seen, const Element* row,
                                  Index at, Index count) {
  const auto inside = (lane_numbers() < int_lanes(static_cast<std::int32_t>(count))) &
                      (lane_numbers() >=
                       int_lanes(static_cast<std::int32_t>(seen.first > at ? seen.first - at : 0)));
  return select(inside, load(row + at, count) * a.scale, lanes(-__builtin_inff()));
}

template <class Element>
void soften(const SoftmaxForward& a, Columns seen, Element* row) {
  Lanes largest = lanes(-__builtin_inff());
  for_seen(seen, [&](Index at, Index count) {
    largest = larger(scaled_scores(a, seen, row, at, count), largest);
  });
  const float maximum = largest_lane(largest);
  Lanes total{};
  for_seen(seen, [&](Index at, Index count) {
    total += exponential(scaled_scores(a, seen, row, at, count) - maximum);
  });
  const float inverse = 1.0F / sum_of_lanes(total);
  for_seen(seen, [&](Index at, Index count) {
    const Lanes power = exponential(scaled_scores(a, seen, row, at, count) - maximum);
    store(row + at, power * inverse, count);
  });
}

template <class Element>
void fill_zero(Element* row, Index first, Index end) {
  for (Index at = first; at < end; at += lane_count)
    store(row + at, Lanes{}, end - at < lane_count ? end - at : lane_count);
}

template <class Element>
void soften_rows(const SoftmaxForward& a, Element*) {
  auto* const scores = static_cast<Element*>(a.scores.data);
  for (Index r = 0; r < a.matrices * a.rows; ++r) {
    Element* const row = scores + r * a.columns;
    const Columns seen = seen_columns(a, r % a.rows);
    if (seen.end > 0) soften(a, seen, row);
    fill_zero(row, 0, seen.first / lane_count * lane_count);
    fill_zero(row, seen.end, a.columns);
  }
}

template <class Element>
void differentiate_row(const SoftmaxBackward& a, const Element* probabilities, Element* gradient) {
  Lanes products{};
  for_lanes(a.columns, [&](Index at, Index left) {
    products = multiply_add(load(probabilities + at, left), load(gradient + at, left), products);
  });
  const float mean = sum_of_lanes(products);
  for_lanes(a.columns, [&](Index at, Index left) {
    const Lanes change = load(gradient + at, left) - mean;
    store(gradient + at, load(probabilities + at, left) * change * a.scale, left);
  });
}

template <class Element>
void differentiate(const SoftmaxBackward& a, Element*) {
  const auto* const probabilities = static_cast<const Element*>(a.probabilities.data);
  auto* const gradient = static_cast<Element*>(a.gradient.data);
  for (Index r = 0; r < a.rows; ++r)
    differentiate_row(a, probabilities + r * a.columns, gradient + r * a.columns);
}

}  // namespace

void CpuKernels::softmax_forward(const SoftmaxForward& a, Stream&) {
  with_element(a.scores.type, [&](auto* kind) { soften_rows(a, kind); });
}

void CpuKernels::softmax_backward(const SoftmaxBackward& a, Stream&) {
  assert(a.probabilities.type == a.gradient.type);
  with_element(a.gradient.type, [&](auto* kind) { differentiate(a, kind); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
