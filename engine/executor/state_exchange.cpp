#include "engine/executor/state_exchange.h"

#include <utility>

#include "engine/operators/buffer_math.h"

namespace quintet::engine {

namespace {

std::size_t bytes_of(Index floats) {
  return static_cast<std::size_t>(floats) * sizeof(float);
}

}  // namespace

void StateExchange::copy_part(const Atom& atom, int rank, float* to) {
  const FlatRange held = shares_.held(atom, rank);
  float* const from =
      weights_.gradients(atom.section).floats(atom.section_offset + held.begin - atom.flat.begin);
  const std::size_t bytes = bytes_of(held.count());
  place_.copy(to, from, bytes);
  place_.zero(to + held.count(), bytes_of(atom.share - held.count()));
  if (shape_.gradients == GradientHome::apart) place_.zero(from, bytes);
}

// One range of the flat elements that nobody has a mere share of.
std::optional<FlatRange> StateExchange::in_place(const FlatUnit& unit) const {
  if (shape_.gradients == GradientHome::apart || shares_.ranks() > 1) return std::nullopt;
  for (std::size_t next = 1; next < unit.size(); ++next)
    if (unit[next].begin != unit[next - 1].end) return std::nullopt;
  return FlatRange{unit.front().begin, unit.back().end};
}

Buffer StateExchange::narrowed(Buffer floats, DataType type) {
  if (type == DataType::fp32) return floats;
  Buffer narrow = place_.make(floats.count(), type);
  place_.kernels().cast({floats.count(), std::as_const(floats).at(), narrow.at()}, place_.stream());
  return narrow;
}

void StateExchange::pack(const CallIteration& at, DataType type) {
  if (outgoing_.contains(at)) return;
  const auto range = in_place(unit(at));
  Buffer floats =
      range ? weights_.gradients_between(range->begin, range->end) : packed_copy(unit(at));
  outgoing_[at] = narrowed(std::move(floats), type);
}

Buffer StateExchange::packed_copy(const FlatUnit& unit) {
  const std::vector<Atom> atoms = shares_.atoms_of(unit);
  Buffer packed = place_.make(shares_.part_count(unit) * shares_.ranks(), DataType::fp32);
  Index place = 0;
  for (int rank = 0; rank < shares_.ranks(); ++rank)
    for (const Atom& atom : atoms) {
      copy_part(atom, rank, packed.floats(place));
      place += atom.share;
    }
  if (shape_.gradients == GradientHome::apart) drop_packed(atoms);
  return packed;
}

// Only shares are kept: a section's buffer goes when all of it has left.
void StateExchange::drop_packed(const std::vector<Atom>& atoms) {
  for (const Atom& atom : atoms) {
    Index& packed = packed_[static_cast<std::size_t>(atom.section)];
    packed += atom.flat.count();
    const auto number = static_cast<std::size_t>(atom.section);
    if (packed < weights_.layout().sections()[number].count) continue;
    weights_.drop_gradients(atom.section);
    packed = 0;
  }
}

void StateExchange::keep_own_part(const CallIteration& at) {
  Buffer& buffer = outgoing(at);
  buffer = part_alone(place_, buffer, shares_.position(), shares_.ranks());
}

void StateExchange::take_sums(const CallIteration& at) {
  Buffer sums = std::move(outgoing(at));
  outgoing_.erase(at);
  if (const auto range = in_place(unit(at))) {
    if (sums.type() == DataType::fp32) return;
    Buffer home = weights_.gradients_between(range->begin, range->end);
    place_.kernels().cast({sums.count(), std::as_const(sums).at(), home.at()}, place_.stream());
    return;
  }
  if (sums.type() != DataType::fp32) {
    Buffer wide = place_.make(sums.count(), DataType::fp32);
    place_.kernels().cast({sums.count(), std::as_const(sums).at(), wide.at()}, place_.stream());
    sums = std::move(wide);
  }
  Index place = 0;
  for (const Atom& atom : shares_.atoms_of(unit(at))) {
    const Index count = shares_.held(atom).count();
    float* const home = state_.held_gradient(atom);
    if (shape_.gradients == GradientHome::apart)
      place_.kernels().accumulate({count, sums.floats(place), home}, place_.stream());
    else
      place_.copy(home, sums.floats(place), bytes_of(count));
    place += atom.share;
  }
}

void StateExchange::add_kept(const FlatRange& unit, KeptSum which) {
  if (kept_.empty()) kept_ = place_.zeroed(weights_.layout().count(), DataType::fp32);
  Buffer fresh = weights_.gradients_between(unit.begin, unit.end);
  float* const sum = which == KeptSum::grows ? kept_.floats(unit.begin) : fresh.floats();
  float* const addend = which == KeptSum::grows ? fresh.floats() : kept_.floats(unit.begin);
  const kernels::ConstTensor added{addend, kernels::ElementType::fp32};
  place_.kernels().accumulate({unit.count(), added, sum}, place_.stream());
  place_.zero(addend, bytes_of(unit.count()));
}

Buffer& StateExchange::begin_gather(const CallIteration& at) {
  const Index part = shares_.part_count(unit(at));
  Buffer& whole = gathers_[at] = place_.make(part * shares_.ranks(), weights_.type());
  Index place = shares_.position() * part;
  for (const Atom& atom : shares_.atoms_of(unit(at))) {
    const Index count = shares_.held(atom).count();
    const auto to = whole.bytes(place, count);
    place_.copy(to.data(), state_.shared_weights(atom).data, to.size());
    const auto padding = whole.bytes(place + count, atom.share - count);
    place_.zero(padding.data(), padding.size());
    place += atom.share;
  }
  return whole;
}

void StateExchange::finish_gather(const CallIteration& at) {
  const Buffer whole = std::move(gathers_.at(at));
  gathers_.erase(at);
  Index place = 0;
  for (int rank = 0; rank < shares_.ranks(); ++rank)
    for (const Atom& atom : shares_.atoms_of(unit(at))) {
      const FlatRange held = shares_.held(atom, rank);
      const auto from = whole.bytes(place, held.count());
      const Index to = atom.section_offset + held.begin - atom.flat.begin;
      place_.copy(weights_.weights(atom.section).bytes(to, held.count()).data(), from.data(),
                  from.size());
      place += atom.share;
    }
}

void StateExchange::count_use(const CallIteration& at) {
  for (const FlatRange& range : unit(at))
    for (std::size_t section = 0; section < gathered_.size(); ++section)
      if (weights_.layout().sections()[section].begin == range.begin) ++gathered_[section];
}

void StateExchange::end_use(int section) {
  int& left = gathered_[static_cast<std::size_t>(section)];
  if (left > 0 && --left == 0) weights_.drop_weights(section);
}

Buffer& StateExchange::collect(const std::vector<FlatRange>& ranges) {
  collected_ = place_.zeroed(elements_of(ranges), DataType::fp32);
  Index first = 0;
  for (const FlatRange& range : ranges) {
    state_.for_each_held(range, [&](const float* from, Index place, Index count) {
      place_.copy(collected_.floats(first + place), from, bytes_of(count));
    });
    first += range.count();
  }
  return collected_;
}

void StateExchange::distribute(const std::vector<FlatRange>& ranges) {
  Index first = 0;
  for (const FlatRange& range : ranges) {
    state_.for_each_held(range, [&](float* to, Index place, Index count) {
      place_.copy(to, collected_.floats(first + place), bytes_of(count));
    });
    first += range.count();
  }
  collected_ = {};
}

}  // namespace quintet::engine
