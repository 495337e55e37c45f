#include "engine/communication/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "engine/files/storage/half_floats.h"

namespace quintet::engine {

namespace {

struct Fp32 {
  using Stored = float;
  static float read(float stored) { return stored; }
  static float write(float value) { return value; }
};

struct Bf16 {
  using Stored = std::uint16_t;
  static float read(Stored stored) { return float_of_bf16(stored); }
  static Stored write(float value) { return bf16_of(value); }
};

float combined(float left, float right, Reduction reduction) {
  return reduction == Reduction::sum ? left + right : std::max(left, right);
}

template <class Element>
typename Element::Stored* elements(const CollectiveCall& work) {
  return reinterpret_cast<typename Element::Stored*>(work.buffer.data());
}

// What stays in the first-level cache while every member adds to it.
constexpr std::size_t piece = 2048;

// `count` elements from `first` on of every member, combined.
template <class Element>
void combine_piece(std::span<const CollectiveCall> members, std::size_t first, std::size_t count,
                   float* sums) {
  const typename Element::Stored* const own = elements<Element>(members.front()) + first;
  for (std::size_t place = 0; place < count; ++place) sums[place] = Element::read(own[place]);
  for (const CollectiveCall& member : members.subspan(1)) {
    const typename Element::Stored* const more = elements<Element>(member) + first;
    const Reduction reduction = member.reduction;
    for (std::size_t place = 0; place < count; ++place)
      sums[place] = combined(sums[place], Element::read(more[place]), reduction);
  }
}

template <class Element>
void put(const float* sums, std::size_t count, typename Element::Stored* to) {
  for (std::size_t place = 0; place < count; ++place) to[place] = Element::write(sums[place]);
}

// Each member of a scatter gets its own of the equal parts.
template <class Element>
void reduce(std::span<const CollectiveCall> members) {
  const std::size_t all = members.front().buffer.size() / sizeof(typename Element::Stored);
  const bool scatter = members.front().kind == CollectiveKind::reduce_scatter;
  const std::size_t part = scatter ? all / members.size() : all;
  std::array<float, piece> sums;
  for (std::size_t first = 0; first < all;) {
    const std::size_t in_part = first % part;
    const std::size_t count = std::min(piece, part - in_part);
    combine_piece<Element>(members, first, count, sums.data());
    for (std::size_t member = 0; member < members.size(); ++member)
      if (!scatter || member == first / part)
        put<Element>(sums.data(), count, elements<Element>(members[member]) + first);
    first += count;
  }
}

void gather(std::span<const CollectiveCall> members) {
  const std::size_t part = members.front().buffer.size() / members.size();
  for (std::size_t from = 0; from < members.size(); ++from)
    for (std::size_t to = 0; to < members.size(); ++to)
      if (from != to)
        std::memcpy(members[to].buffer.data() + from * part,
                    members[from].buffer.data() + from * part, part);
}

}  // namespace

void combine(std::span<const CollectiveCall> members) {
  if (members.front().kind == CollectiveKind::all_gather) return gather(members);
  if (members.front().type == DataType::fp32) return reduce<Fp32>(members);
  reduce<Bf16>(members);
}

std::optional<std::string> disagreement(std::span<const CollectiveCall> members) {
  const CollectiveCall& first = members.front();
  for (const CollectiveCall& member : members)
    if (member.kind != first.kind || member.buffer.size() != first.buffer.size() ||
        member.type != first.type || member.reduction != first.reduction)
      return "the members of a collective disagree on its kind, size or type";
  const bool gather = first.kind == CollectiveKind::all_gather;
  if (!gather && first.kind != CollectiveKind::all_reduce &&
      first.kind != CollectiveKind::reduce_scatter)
    return "only all-reduce, reduce-scatter and all-gather run between threads, not " +
           std::string(name_of(first.kind));
  if (!gather && first.type != DataType::fp32 && first.type != DataType::bf16)
    return "only fp32 and bf16 are added between threads";
  const auto element = static_cast<std::size_t>(size_of(first.type).value);
  const std::size_t parts = first.kind == CollectiveKind::all_reduce ? 1 : members.size();
  if (first.buffer.size() % (element * parts) != 0)
    return fmt::format("a buffer of {} bytes has no {} equal parts", first.buffer.size(), parts);
  return std::nullopt;
}

}  // namespace quintet::engine
