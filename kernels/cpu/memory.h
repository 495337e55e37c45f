// Lanes to and from memory of the three element types. A load of fewer than 16 elements leaves 0 in
// the other lanes, a store of fewer leaves the memory behind them alone.
#pragma once

#include <cstddef>

#include "kernels/cpu/lanes.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

template <class Vector>
struct InMemory {
  QUINTET_LANES static Vector load(const void* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  QUINTET_LANES static void store(void* to, Vector value) {
    __builtin_memcpy(to, &value, sizeof value);
  }
};
// Half by half: copied as a whole, a pair would go through memory.
template <class Half>
struct InMemory<Pair<Half>> {
  QUINTET_LANES static Pair<Half> load(const void* from) {
    return {InMemory<Half>::load(from),
            InMemory<Half>::load(static_cast<const std::byte*>(from) + sizeof(Half))};
  }
  QUINTET_LANES static void store(void* to, Pair<Half> value) {
    InMemory<Half>::store(to, value.low);
    InMemory<Half>::store(static_cast<std::byte*>(to) + sizeof(Half), value.high);
  }
};

template <class Vector, class Element>
QUINTET_LANES Vector load_vector(const Element* from, Index count) {
  if (count >= lane_count) return InMemory<Vector>::load(from);
  alignas(64) Element some[lane_count] = {};
  __builtin_memcpy(some, from, static_cast<std::size_t>(count) * sizeof(Element));
  return InMemory<Vector>::load(some);
}

template <class Vector, class Element>
QUINTET_LANES void store_vector(Element* to, Vector value, Index count) {
  if (count >= lane_count) return InMemory<Vector>::store(to, value);
  alignas(64) Element all[lane_count];
  InMemory<Vector>::store(all, value);
  __builtin_memcpy(to, all, static_cast<std::size_t>(count) * sizeof(Element));
}

QUINTET_LANES Lanes load(const float* from, Index count) {
  return load_vector<Lanes>(from, count);
}
QUINTET_LANES void store(float* to, Lanes value, Index count) {
  store_vector(to, value, count);
}

QUINTET_LANES UnsignedLanes load_bits(const std::uint16_t* from, Index count) {
  return widened(load_vector<HalfLanes>(from, count));
}
QUINTET_LANES void store_bits(std::uint16_t* to, UnsignedLanes value, Index count) {
  store_vector(to, narrowed(value), count);
}

QUINTET_LANES Lanes load(const Bfloat16* from, Index count) {
  return bits_as<Lanes>(load_bits(&from->bits, count) << 16);
}

// Adding 0x7FFF, and one more where the kept part is odd, carries exactly when rounding up is
// right.
QUINTET_LANES void store(Bfloat16* to, Lanes value, Index count) {
  const auto bits = bits_as<UnsignedLanes>(value);
  const UnsignedLanes rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const UnsignedLanes quiet_nan = (bits >> 16) | 0x40;
  const UnsignedLanes magnitude = bits & 0x7FFFFFFF;
  store_bits(&to->bits, select(magnitude > 0x7F800000U, quiet_nan, rounded), count);
}

// Exponent and fraction moved to fp32's places are 2^-112 of the value, denormals included.
QUINTET_LANES Lanes load(const Float16* from, Index count) {
  const UnsignedLanes bits = load_bits(&from->bits, count);
  const UnsignedLanes magnitude = (bits & 0x7FFF) << 13;
  const Lanes scaled = bits_as<Lanes>(magnitude) * 0x1p112F;
  const UnsignedLanes finite = bits_as<UnsignedLanes>(scaled);
  const UnsignedLanes special = magnitude | 0x7F800000;
  const UnsignedLanes value = select(magnitude >= (0x7C00U << 13), special, finite);
  return bits_as<Lanes>(value | ((bits & 0x8000) << 16));
}

// Below 2^-14 the spacing of fp16 is 2^-24: adding 0.5, whose spacing in fp32 is that, rounds
// there.
QUINTET_LANES void store(Float16* to, Lanes value, Index count) {
  const auto bits = bits_as<UnsignedLanes>(value);
  const UnsignedLanes magnitude = bits & 0x7FFFFFFF;
  const UnsignedLanes small = bits_as<UnsignedLanes>(bits_as<Lanes>(magnitude) + 0.5F) - 0x3F000000;
  const UnsignedLanes normal = (magnitude - (112U << 23) + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
  const UnsignedLanes infinite = unsigned_lanes(0x7C00);
  const UnsignedLanes quiet_nan = ((magnitude >> 13) & 0x3FF) | 0x7E00;
  // 65520 = 0x477FF000 is the first that rounds to infinity.
  const UnsignedLanes finite = select(magnitude < (113U << 23), small, normal);
  const UnsignedLanes large = select(magnitude > 0x7F800000U, quiet_nan, infinite);
  const UnsignedLanes rounded = select(magnitude >= 0x477FF000U, large, finite);
  store_bits(&to->bits, rounded | ((bits >> 16) & 0x8000), count);
}

template <class Element>
QUINTET_LANES float load_one(const Element* from) {
  return lane_of(load(from, 1), 0);
}

template <class Element>
QUINTET_LANES void store_one(Element* to, float value) {
  store(to, lanes(value), 1);
}

// The first `count` of 0 .. count in steps of 16: step(offset, how many lanes).
template <class Step>
QUINTET_LANES void for_lanes(Index count, Step step) {
  Index at = 0;
  for (; at + lane_count <= count; at += lane_count) step(at, lane_count);
  if (at < count) step(at, count - at);
}

// Vectors dealt out to four strands: step(offset, how many lanes, strand). The strand is known
// wherever the step is used, so that what each keeps stays in registers.
constexpr Index strands = 4;
template <class Step>
QUINTET_LANES void in_strands(Index count, Step step) {
  Index at = 0;
  for (; at + strands * lane_count <= count; at += strands * lane_count)
    for (Index strand = 0; strand < strands; ++strand)
      step(at + strand * lane_count, lane_count, strand);
  for (Index strand = 0; strand < strands; ++strand, at += lane_count)
    if (at < count) step(at, count - at < lane_count ? count - at : lane_count, strand);
}

// So that one addition need not wait for the last.
struct StrandSum {
  Lanes of[strands] = {};

  QUINTET_LANES void add(Lanes value, Index left, Index strand) {
    of[strand] += first_lanes(value, left);
  }
  QUINTET_LANES float total() const { return sum_of_lanes((of[0] + of[1]) + (of[2] + of[3])); }
};

// value(offset, lanes) summed up in strands.
template <class Value>
QUINTET_LANES float sum_over(Index count, Value value) {
  StrandSum sum;
  in_strands(count,
             [&](Index at, Index left, Index strand) { sum.add(value(at, left), left, strand); });
  return sum.total();
}

template <class Value>
QUINTET_LANES double double_sum_over(Index count, Value value) {
  DoubleLanes total{};
  for_lanes(count, [&](Index at, Index left) { total += value(at, left); });
  return sum_of_lanes(total);
}

// Runs `run(Element*)` with the element type of a tensor; kernels other than the cast have no fp16.
template <class Run>
QUINTET_LANES void with_element(ElementType type, Run run) {
  switch (type) {
    case ElementType::fp32:
      return run(static_cast<float*>(nullptr));
    case ElementType::bf16:
      return run(static_cast<Bfloat16*>(nullptr));
    case ElementType::fp16:
      assert(type != ElementType::fp16);
  }
}

template <class Element>
QUINTET_LANES const Element* elements(const ConstTensor& tensor, const Element*) {
  return static_cast<const Element*>(tensor.data);
}

template <class Element>
QUINTET_LANES Element* elements(const Tensor& tensor, const Element*) {
  return static_cast<Element*>(tensor.data);
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
