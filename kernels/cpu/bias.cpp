#include <type_traits>

#include "kernels/cpu/column_sums.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/gemm.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

template <class Element>
void add_bias(const BiasAdd& a) {
  auto* const values = static_cast<Element*>(a.values.data);
  const auto* const bias = static_cast<const Element*>(a.bias.data);
  for (Index r = 0; r < a.rows; ++r)
    for_lanes(a.columns, [&](Index at, Index left) {
      Element* const to = values + r * a.columns + at;
      store(to, load(to, left) + load(bias + at, left), left);
    });
}

template <class Element>
void sum_rows(const BiasGradient& a) {
  const auto* const from = static_cast<const Element*>(a.output_gradient.data);
  sum_columns(a.rows, a.columns, a.write, a.bias_gradient, [&](Index row, Index at, Index left) {
    return load(from + row * a.columns + at, left);
  });
}

}  // namespace

void CpuKernels::bias_add(const BiasAdd& a, Stream&) {
  assert(a.values.type == a.bias.type);
  with_element(a.values.type,
               [&](auto* element) { add_bias<std::remove_pointer_t<decltype(element)>>(a); });
}

void CpuKernels::bias_gradient(const BiasGradient& a, Stream&) {
  with_element(a.output_gradient.type,
               [&](auto* element) { sum_rows<std::remove_pointer_t<decltype(element)>>(a); });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
