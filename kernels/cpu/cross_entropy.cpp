#include "kernels/cross_entropy.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/functions.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

Index stride_of(const CrossEntropyRows& rows) {
  return rows.stride == 0 ? rows.shard_size : rows.stride;
}

// This is the target's place within this shard, -1 where it is in another one or ignored.
Index target_place(const CrossEntropyRows& rows, Index row) {
  const std::int32_t target = rows.targets[row];
  const Index place = Index{target} - rows.shard_first;
  return target >= 0 && place >= 0 && place < rows.shard_size ? place : -1;
}

template <class Element>
float maximum_of(const Element* logits, Index size) {
  const Lanes lowest = lanes(-__builtin_inff());
  Lanes largest = lowest;
  for_lanes(size, [&](Index at, Index left) {
    const Lanes value = load(logits + at, left);
    const IntLanes inside = lane_numbers() < int_lanes(static_cast<std::int32_t>(left));
    largest = larger(select(inside, value, lowest), largest);
  });
  return largest_lane(largest);
}

// 2^20 + 2^19 has the spacing 2^-32: adding it rounds to that, taking it away leaves the multiple.
template <class Element>
double sum_of(const Element* logits, Index size, float maximum) {
  return double_sum_over(size, [&](Index at, Index left) {
    const Lanes power = first_lanes(exponential(load(logits + at, left) - maximum), left);
    return (to_double(power) + 1572864.0) - 1572864.0;
  });
}

template <class Element>
void write_gradient(Element* logits, Index size, float maximum, double sum, float scale) {
  const float inverse = static_cast<float>(1.0 / sum);
  for_lanes(size, [&](Index at, Index left) {
    const Lanes power = exponential(load(logits + at, left) - maximum);
    store(logits + at, power * inverse * scale, left);
  });
}

// The target's own: (probability - 1) * scale, from its logit before it was written over.
float target_gradient(float logit, float maximum, double sum, float scale) {
  const float power = lane_of(exponential(lanes(logit - maximum)), 0);
  return (power * static_cast<float>(1.0 / sum) - 1.0F) * scale;
}

struct RowStatistics {
  float maximum;
  double sum;
  float target_logit;
};

template <class Element>
float finish_row(const CrossEntropyRows& rows, Index row, const RowStatistics& of, float scale,
                 Element* kind) {
  Element* const logits = elements(rows.logits, kind) + row * stride_of(rows);
  const bool ignored = rows.targets[row] < 0;
  const Index place = target_place(rows, row);
  const float own =
      place < 0 ? 0.0F : target_gradient(load_one(logits + place), of.maximum, of.sum, scale);
  write_gradient(logits, rows.shard_size, of.maximum, of.sum, ignored ? 0.0F : scale);
  if (place >= 0) store_one(logits + place, own);
  if (ignored) return 0.0F;
  const double shifted = static_cast<double>(of.maximum) - static_cast<double>(of.target_logit);
  return static_cast<float>(logarithm(of.sum) + shifted);
}

template <class Work>
float scale_of(const Work& a) {
  if (a.loss_scale == nullptr) return a.gradient_scale;
  return a.gradient_scale * static_cast<float>(*a.loss_scale);
}

}  // namespace

void CpuKernels::cross_entropy_maximum(const CrossEntropyMaximum& a, Stream&) {
  with_element(a.rows.logits.type, [&](auto* kind) {
    for (Index row = 0; row < a.rows.rows; ++row)
      a.maximum[row] =
          maximum_of(elements(a.rows.logits, kind) + row * stride_of(a.rows), a.rows.shard_size);
  });
}

void CpuKernels::cross_entropy_sum(const CrossEntropySum& a, Stream&) {
  with_element(a.rows.logits.type, [&](auto* kind) {
    for (Index row = 0; row < a.rows.rows; ++row) {
      const auto* const logits = elements(a.rows.logits, kind) + row * stride_of(a.rows);
      const Index place = target_place(a.rows, row);
      a.sum[row] = sum_of(logits, a.rows.shard_size, a.maximum[row]);
      a.target_logit[row] = place < 0 ? 0.0F : load_one(logits + place);
    }
  });
}

void CpuKernels::cross_entropy_gradient(const CrossEntropyGradient& a, Stream&) {
  const float scale = scale_of(a);
  with_element(a.rows.logits.type, [&](auto* kind) {
    for (Index row = 0; row < a.rows.rows; ++row)
      a.loss[row] =
          finish_row(a.rows, row, {a.maximum[row], a.sum[row], a.target_logit[row]}, scale, kind);
  });
}

// Row by row, so that a row's logits are still in the cache in the later stages.
void CpuKernels::cross_entropy(const CrossEntropy& a, Stream&) {
  const float scale = scale_of(a);
  with_element(a.rows.logits.type, [&](auto* kind) {
    for (Index row = 0; row < a.rows.rows; ++row) {
      const auto* const logits = elements(a.rows.logits, kind) + row * stride_of(a.rows);
      const Index place = target_place(a.rows, row);
      const float maximum = maximum_of(logits, a.rows.shard_size);
      const double sum = sum_of(logits, a.rows.shard_size, maximum);
      const float target_logit = place < 0 ? 0.0F : load_one(logits + place);
      a.loss[row] = finish_row(a.rows, row, {maximum, sum, target_logit}, scale, kind);
    }
  });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
