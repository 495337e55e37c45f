// Indices that cannot be mixed up: a rank is not a device is not a link.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace quintet {

template <class Tag>
struct Id {
  std::int32_t value = -1;  // -1: none

  constexpr auto operator<=>(const Id&) const = default;
  constexpr bool valid() const { return value >= 0; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
};

template <class IdType>
constexpr IdType id_at(std::size_t index) {
  return IdType{static_cast<std::int32_t>(index)};
}

using Rank = Id<struct RankTag>;    // a process of the job, 0 .. world size - 1
using RoleId = Id<struct RoleTag>;  // a set of ranks that walk the same script
using BodyId = Id<struct BodyTag>;  // a repeated piece of a program
using LaneId = Id<struct LaneTag>;  // a row in which instructions run in order
using CommunicatorId = Id<struct CommunicatorTag>;
using HostId = Id<struct HostTag>;      // a machine
using DeviceId = Id<struct DeviceTag>;  // a GPU, NIC, switch, CPU ...: a vertex of the topology
using LinkId = Id<struct LinkTag>;      // one direction of a wire: an edge of the topology
using PartId = Id<struct PartTag>;      // an entry of the topology's parts list

}  // namespace quintet

template <class Tag>
struct std::hash<quintet::Id<Tag>> {
  std::size_t operator()(quintet::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>{}(id.value);
  }
};
