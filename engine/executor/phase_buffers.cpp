#include "engine/executor/phase_buffers.h"

#include <algorithm>
#include <cassert>

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

const quintet::Communicator& communicator_of(const Program& program, CommunicatorId id) {
  return program.communicators[id.index()];
}

PartPlace place_in(const Program& program, CommunicatorId communicator, Rank rank) {
  const std::vector<Rank> group =
      group_of(program.grid, communicator_of(program, communicator), rank);
  const auto found = std::find(group.begin(), group.end(), rank);
  return {static_cast<int>(found - group.begin()), static_cast<int>(group.size())};
}

}  // namespace

HostLevel level_of(const Program& program, const Collective& collective) {
  return communicator_of(program, collective.communicator).level;
}

bool begins(const Program& program, const Collective& collective) {
  const HostLevel level = level_of(program, collective);
  const bool gathers = collective.kind == CollectiveKind::all_gather;
  return level == HostLevel::whole || gathers == (level == HostLevel::across);
}

bool ends(const Program& program, const Collective& collective) {
  switch (level_of(program, collective)) {
    case HostLevel::whole:
      return true;
    case HostLevel::inside:
      return collective.kind == CollectiveKind::all_gather;
    case HostLevel::across:
      return collective.kind == CollectiveKind::reduce_scatter;
  }
  return true;
}

PartPlace part_place(const Program& program, const Collective& collective, Rank rank) {
  const HostLevel level = level_of(program, collective);
  const PartPlace mine = place_in(program, collective.communicator, rank);
  if (level == HostLevel::whole) return mine;
  const CommunicatorId beside = communicator_of(program, collective.communicator).other_level;
  const PartPlace other = place_in(program, beside, rank);
  const PartPlace inside = level == HostLevel::inside ? mine : other;
  const PartPlace across = level == HostLevel::inside ? other : mine;
  return {inside.position * across.ranks + across.position, inside.ranks * across.ranks};
}

Buffer& PhaseBuffers::take_up(const Key& key, const Collective& first, Buffer& whole) {
  UnderWay& taken = under_way_[key];
  taken = {&whole, {}};
  if (level_of(program_, first) != HostLevel::inside) return whole;
  const Index parts = place_in(program_, first.communicator, rank_).ranks;
  const Index count = (whole.count() + parts - 1) / parts * parts;
  if (whole.count() < count) {
    taken.padded = place_.zeroed(count, whole.type());
    place_.copy(taken.padded.bytes().data(), whole.bytes().data(), whole.bytes().size());
  }
  return taken.worked_on();
}

void PhaseBuffers::put_down(const Key& key) {
  UnderWay& done = under_way_.at(key);
  if (!done.padded.empty())
    place_.copy(done.whole->bytes().data(), done.padded.bytes().data(), done.whole->bytes().size());
  under_way_.erase(key);
}

std::span<std::byte> PhaseBuffers::worked_on(const Collective& collective,
                                             std::span<std::byte> whole) const {
  const quintet::Communicator& across = communicator_of(program_, collective.communicator);
  if (across.level != HostLevel::across) return whole;
  const PartPlace inside = place_in(program_, across.other_level, rank_);
  const auto parts = static_cast<std::size_t>(inside.ranks);
  assert(whole.size() % parts == 0);
  const std::size_t part = whole.size() / parts;
  return whole.subspan(static_cast<std::size_t>(inside.position) * part, part);
}

}  // namespace quintet::engine
