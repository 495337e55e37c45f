#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Products are not fused with sums: the same bits from all targets.
QUINTET_LANES Lanes scaled_sum(float factor, Lanes value, Lanes addend) {
  const Lanes product = factor * value;
  return product + addend;
}

QUINTET_LANES Lanes sign_of(Lanes value) {
  const Lanes positive = select(value > 0.0F, lanes(1.0F), Lanes{});
  return select(value < 0.0F, lanes(-1.0F), positive);
}

}  // namespace

void CpuKernels::momentum_add(const MomentumAdd& a, Stream&) {
  const float rate = a.rate == nullptr ? 1.0F : *a.rate;
  for_lanes(a.count, [&](Index at, Index left) {
    const Lanes added = rate * load(a.gradient + at, left);
    store(a.momentum + at, scaled_sum(a.decay, load(a.momentum + at, left), added), left);
  });
}

void CpuKernels::subtract(const Subtract& a, Stream&) {
  for_lanes(a.count, [&](Index at, Index left) {
    store(a.values + at, load(a.values + at, left) - load(a.addend + at, left), left);
  });
}

void CpuKernels::pack_positions(const PackPositions& a, Stream&) {
  for (Index at = 0; at < a.count; ++at) {
    if (a.width == 2)
      static_cast<std::uint16_t*>(a.packed)[at] = static_cast<std::uint16_t>(a.positions[at]);
    if (a.width == 4) static_cast<std::int32_t*>(a.packed)[at] = a.positions[at];
    if (a.width == 8) static_cast<std::int64_t*>(a.packed)[at] = a.positions[at];
  }
}

void CpuKernels::unpack_positions(const UnpackPositions& a, Stream&) {
  for (Index at = 0; at < a.count; ++at) {
    if (a.width == 2) a.positions[at] = static_cast<const std::uint16_t*>(a.packed)[at];
    if (a.width == 4) a.positions[at] = static_cast<const std::int32_t*>(a.packed)[at];
    if (a.width == 8)
      a.positions[at] = static_cast<std::int32_t>(static_cast<const std::int64_t*>(a.packed)[at]);
  }
}

void CpuKernels::stride_positions(const StridePositions& a, Stream&) {
  for (Index at = 0; at < a.chosen; ++at) {
    const Index position = a.first + at * a.stride;
    a.positions[at] = position < a.count ? static_cast<std::int32_t>(position) : no_position;
  }
}

void CpuKernels::take_elements(const TakeElements& a, Stream&) {
  with_element(a.taken.type, [&](auto* kind) {
    auto* const taken = elements(a.taken, kind);
    for (Index at = 0; at < a.chosen; ++at) {
      const std::int32_t position = a.positions[at];
      store_one(taken + at, position == no_position ? 0.0F : a.values[position]);
      if (position != no_position) a.values[position] -= load_one(taken + at);
    }
  });
}

void CpuKernels::put_elements(const PutElements& a, Stream&) {
  for (Index at = 0; at < a.count; ++at) a.values[at] = 0.0F;
  with_element(a.given.type, [&](auto* kind) {
    const auto* const given = elements(a.given, kind);
    for (Index at = 0; at < a.chosen; ++at)
      if (a.positions[at] != no_position)
        a.values[a.positions[at]] = a.share * load_one(given + at);
  });
}

void CpuKernels::merged_gradient(const MergedGradient& a, Stream&) {
  with_element(a.merged.type, [&](auto* kind) {
    const auto* const merged = elements(a.merged, kind);
    for_lanes(a.count, [&](Index at, Index left) {
      const Lanes value = a.share * load(merged + at, left);
      store(a.gradient + at, a.as == MergedAs::sign ? sign_of(value) : value, left);
    });
  });
}

void CpuKernels::outer_difference(const OuterDifference& a, Stream&) {
  with_element(a.difference.type, [&](auto* kind) {
    auto* const difference = elements(a.difference, kind);
    for_lanes(a.count, [&](Index at, Index left) {
      store(difference + at, load(a.anchor + at, left) - load(a.parameter + at, left), left);
    });
  });
}

void CpuKernels::outer_step(const OuterStep& a, Stream&) {
  with_element(a.sum.type, [&](auto* kind) {
    const auto* const sum = elements(a.sum, kind);
    for_lanes(a.count, [&](Index at, Index left) {
      const Lanes d = a.share * load(sum + at, left);
      const Lanes velocity = scaled_sum(a.momentum, load(a.velocity + at, left), d);
      const Lanes direction = scaled_sum(a.momentum, velocity, d);
      const Lanes anchor = scaled_sum(-a.rate, direction, load(a.anchor + at, left));
      store(a.velocity + at, velocity, left);
      store(a.anchor + at, anchor, left);
      store(a.parameter + at, anchor, left);
      if (a.working_copy.data != nullptr)
        with_element(a.working_copy.type, [&](auto* copied) {
          store(elements(a.working_copy, copied) + at, anchor, left);
        });
    });
  });
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
