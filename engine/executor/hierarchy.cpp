#include "engine/executor/hierarchy.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <set>

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

struct Pair {
  CommunicatorId inside, across;
};

bool is_across(const quintet::Communicator& across, const quintet::Communicator& inside) {
  if (across.parts.size() != 1 || inside.parts.size() != 1) return false;
  const AxisPart& inner = inside.parts.front();
  const AxisPart& outer = across.parts.front();
  return inner.axis == outer.axis && outer.stride == inner.stride * inner.size;
}

std::optional<Pair> pair_of(const Program& program, const std::set<CommunicatorId>& used) {
  if (used.size() != 2) return std::nullopt;
  const CommunicatorId first = *used.begin(), second = *used.rbegin();
  const auto at = [&](CommunicatorId id) { return program.communicators[id.index()]; };
  if (is_across(at(second), at(first))) return Pair{first, second};
  if (is_across(at(first), at(second))) return Pair{second, first};
  return std::nullopt;
}

std::map<Purpose, std::set<CommunicatorId>> used_in(const Body& body) {
  std::map<Purpose, std::set<CommunicatorId>> used;
  for (const Instruction& instruction : body.instructions)
    if (const auto* const collective = std::get_if<Collective>(&instruction.action))
      used[collective->purpose].insert(collective->communicator);
  return used;
}

Hierarchy::Place place_in(const Program& program, CommunicatorId communicator, Rank rank) {
  const std::vector<Rank> group =
      group_of(program.grid, program.communicators[communicator.index()], rank);
  const auto found = std::find(group.begin(), group.end(), rank);
  return {static_cast<int>(found - group.begin()), static_cast<int>(group.size())};
}

}  // namespace

Result<Hierarchy> Hierarchy::of(const Program& program) {
  Hierarchy made;
  made.levels_.resize(program.communicators.size());
  for (const Body& body : program.bodies)
    for (const auto& [purpose, used] : used_in(body)) {
      if (used.size() == 1) continue;
      const std::optional<Pair> pair = pair_of(program, used);
      if (!pair)
        return Error{"program: " + body.name,
                     "collectives of one purpose on communicators that are no two levels of one "
                     "axis are not executed"};
      made.levels_[pair->inside.index()] = {Level::inside, pair->across};
      made.levels_[pair->across.index()] = {Level::across, pair->inside};
    }
  return made;
}

bool Hierarchy::begins(const Collective& collective) const {
  const bool gathers = collective.kind == CollectiveKind::all_gather;
  switch (level(collective)) {
    case Level::whole:
      return true;
    case Level::inside:
      return !gathers;
    case Level::across:
      return gathers;
  }
  return true;
}

bool Hierarchy::ends(const Collective& collective) const {
  switch (level(collective)) {
    case Level::whole:
      return true;
    case Level::inside:
      return collective.kind == CollectiveKind::all_gather;
    case Level::across:
      return collective.kind == CollectiveKind::reduce_scatter;
  }
  return true;
}

std::int64_t Hierarchy::padded(const Collective& collective, const Program& program, Rank rank,
                               std::int64_t elements) const {
  if (level(collective) != Level::inside) return elements;
  const std::int64_t inside = place_in(program, collective.communicator, rank).ranks;
  return (elements + inside - 1) / inside * inside;
}

std::span<std::byte> Hierarchy::worked_on(const Collective& collective, const Program& program,
                                          Rank rank, std::span<std::byte> whole) const {
  const Levelled& levelled = levels_[collective.communicator.index()];
  if (levelled.level != Level::across) return whole;
  const Place inside = place_in(program, levelled.other, rank);
  const auto parts = static_cast<std::size_t>(inside.ranks);
  assert(whole.size() % parts == 0);
  const std::size_t part = whole.size() / parts;
  return whole.subspan(static_cast<std::size_t>(inside.position) * part, part);
}

Hierarchy::Place Hierarchy::place(const Collective& collective, const Program& program,
                                  Rank rank) const {
  const Levelled& levelled = levels_[collective.communicator.index()];
  const Place mine = place_in(program, collective.communicator, rank);
  if (levelled.level == Level::whole) return mine;
  const Place other = place_in(program, levelled.other, rank);
  const Place inside = levelled.level == Level::inside ? mine : other;
  const Place across = levelled.level == Level::inside ? other : mine;
  return {inside.position * across.ranks + across.position, inside.ranks * across.ranks};
}

}  // namespace quintet::engine
