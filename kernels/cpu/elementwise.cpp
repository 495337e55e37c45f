#include "kernels/elementwise.h"

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

template <class Run>
void with_any_element(ElementType type, Run run) {
  if (type == ElementType::fp16) return run(static_cast<Float16*>(nullptr));
  with_element(type, run);
}

template <class Element>
QUINTET_FLAT void add(const ResidualAdd& a, Element* kind) {
  for_lanes(a.count, [&](Index at, Index left) {
    const Lanes sum =
        load(elements(a.left, kind) + at, left) + load(elements(a.right, kind) + at, left);
    store(elements(a.output, kind) + at, sum, left);
  });
}

template <class Element>
QUINTET_FLAT void combine_terms(const Combine& a, Element* kind) {
  const auto term = [&](int which) { return elements(Tensor{a.term[which], a.type}, kind); };
  for_lanes(a.count, [&](Index at, Index left) {
    Lanes value = load(term(0) + at, left);
    for (int which = 1; which < a.terms; ++which) {
      const Lanes next = load(term(which) + at, left);
      value = a.by == Combining::sum ? value + next : larger(next, value);
    }
    for (int which = 0; which < a.terms; ++which)
      if (a.into == Combine::into_every_term || a.into == which)
        store(term(which) + at, value, left);
  });
}

template <class From, class To>
QUINTET_FLAT void convert(const Cast& a, From* from, To* to) {
  for_lanes(a.count, [&](Index at, Index left) {
    store(elements(a.to, to) + at, load(elements(a.from, from) + at, left), left);
  });
}

// Times 0, an infinity or NaN becomes NaN, and anything else 0.
template <class Element>
bool all_finite(const FindNonFinite& a, Element* kind) {
  const float total = sum_over(a.count, [&](Index at, Index left) {
    return load(elements(a.values, kind) + at, left) * 0.0F;
  });
  return total == 0.0F;
}

}  // namespace

void CpuKernels::residual_add(const ResidualAdd& a, Stream&) {
  with_element(a.output.type, [&](auto* kind) { add(a, kind); });
}

void CpuKernels::accumulate(const Accumulate& a, Stream&) {
  with_element(a.addend.type, [&](auto* kind) {
    for_lanes(a.count, [&](Index at, Index left) {
      const Lanes addend = load(elements(a.addend, kind) + at, left);
      store(a.sum + at, load(a.sum + at, left) + addend, left);
    });
  });
}

void CpuKernels::combine(const Combine& a, Stream&) {
  assert(a.terms >= 1 && a.terms <= Combine::most_terms && a.into < a.terms);
  with_element(a.type, [&](auto* kind) { combine_terms(a, kind); });
}

void CpuKernels::scale(const Scale& a, Stream&) {
  const float factor = *a.factor;
  with_element(a.values.type, [&](auto* kind) {
    for_lanes(a.count, [&](Index at, Index left) {
      auto* const to = elements(a.values, kind) + at;
      store(to, load(to, left) * factor, left);
    });
  });
}

void CpuKernels::cast(const Cast& a, Stream&) {
  with_any_element(a.from.type, [&](auto* from) {
    with_any_element(a.to.type, [&](auto* to) { convert(a, from, to); });
  });
}

void CpuKernels::narrow(const Narrow& a, Stream&) {
  for (Index at = 0; at < a.count; ++at) a.to[at] = static_cast<float>(a.from[at]);
}

void CpuKernels::widen(const Widen& a, Stream&) {
  for (Index at = 0; at < a.count; ++at) a.to[at] = static_cast<double>(a.from[at]);
}

void CpuKernels::find_non_finite(const FindNonFinite& a, Stream&) {
  with_element(a.values.type, [&](auto* kind) {
    if (!all_finite(a, kind)) *a.found = 1;
  });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
