#include "engine/communication/combine.h"

#include <fmt/format.h>

#include <algorithm>
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

// Elements first .. last - 1 of every member, combined into `result`.
template <class Element>
void combine_range(std::span<const CollectiveCall> members, std::size_t first, std::size_t last,
                   typename Element::Stored* result) {
  for (std::size_t place = first; place < last; ++place) {
    float value = Element::read(elements<Element>(members.front())[place]);
    for (const CollectiveCall& member : members.subspan(1))
      value = combined(value, Element::read(elements<Element>(member)[place]), member.reduction);
    result[place - first] = Element::write(value);
  }
}

template <class Element>
void reduce(std::span<const CollectiveCall> members) {
  const std::size_t count = members.front().buffer.size() / sizeof(typename Element::Stored);
  const bool scatter = members.front().kind == CollectiveKind::reduce_scatter;
  std::vector<typename Element::Stored> result(count);
  combine_range<Element>(members, 0, count, result.data());
  const std::size_t part = scatter ? count / members.size() : count;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::size_t first = scatter ? member * part : 0;
    std::copy_n(result.data() + first, part, elements<Element>(members[member]) + first);
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
