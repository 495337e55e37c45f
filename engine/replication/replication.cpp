#include "engine/replication/replication.h"

#include <algorithm>
#include <utility>

namespace quintet::engine {

namespace {

bool exchanges_replicas(const Body& body) {
  return std::any_of(body.instructions.begin(), body.instructions.end(),
                     [](const Instruction& instruction) {
                       const auto* const collective = std::get_if<Collective>(&instruction.action);
                       return collective && collective->purpose == Purpose::exchange_replicas;
                     });
}

}  // namespace

bool is_of_replicator(Computation computation) {
  const OperatorKind kind = kind_of(computation);
  return kind == OperatorKind::compress || kind == OperatorKind::decompress;
}

Replication::Replication(const ReplicationInput& input, const Program& program,
                         const Script& script, const Shares& shares, TrainingState& state,
                         Workplace& place)
    : input_(input), state_(state), place_(place) {
  const Replicator& replicator = input.replicator;
  for (const Call& call : script.calls) {
    if (!exchanges_replicas(program.bodies[call.body.index()])) continue;
    Unit unit;
    unit.own = replicated_parts(call.elements, state.layout(), shares, replicator);
    const Index count = unit.own.cut.elements;
    if (keeps_momentum(replicator.kind)) unit.momentum = place.zeroed(count, DataType::fp32);
    if (replicator.kind == ReplicatorKind::diloco) {
      unit.anchor = place.zeroed(count, DataType::fp32);
      unit.velocity = place.zeroed(count, DataType::fp32);
    }
    units_[call.elements.front().begin] = std::move(unit);
  }
  int number = 0;
  for (auto& [begin, unit] : units_) unit.number = number++;
}

Replication::Unit& Replication::unit_of(const FlatUnit& unit) {
  return units_.at(unit.front().begin);
}

void Replication::take_weights() {
  for (auto& [begin, unit] : units_)
    if (!unit.anchor.empty())
      for (const PartOfAtom& part : unit.own.parts)
        place_.copy(unit.anchor.floats(part.place), state_.own_weights(*part.atom, 0),
                    static_cast<std::size_t>(part.count) * sizeof(float));
}

void Replication::forget() {
  for (auto& [begin, unit] : units_)
    for (Buffer* const kept : {&unit.momentum, &unit.velocity})
      if (!kept->empty()) place_.zero(*kept);
}

void Replication::begin_step(std::int64_t number, const float* rate) {
  step_ = number;
  rate_ = input_.replicator.sign ? rate : nullptr;
}

Buffer& Replication::exchanged(const FlatUnit& unit) {
  return unit_of(unit).exchanged;
}

KeptByReplicator Replication::kept(Index element) {
  for (auto& [begin, unit] : units_) {
    const Index place = element - unit.own.first;
    if (place < 0 || place >= unit.own.held) continue;
    const auto in = [place](Buffer& buffer) {
      return buffer.empty() ? nullptr : buffer.floats(place);
    };
    return {in(unit.momentum), in(unit.anchor), in(unit.velocity)};
  }
  return {};
}

void Replication::run(Computation what, const FlatUnit& range) {
  Unit& unit = unit_of(range);
  using enum Computation;
  if (what == momentum_add) add_to_momentum(unit);
  if (what == chunk_transform)
    transform(unit, kernels::CosineDirection::forward, unit.momentum, unit.coefficients);
  if (what == coefficient_choice) choose_coefficients(unit);
  if (what == chunk_inverse || what == merged_inverse)
    transform(unit, kernels::CosineDirection::inverse, unit.coefficients, unit.line);
  if (what == momentum_rest) keep_rest(unit);
  if (what == coefficient_mean) mean_coefficients(unit);
  if (what == merged_gradient) {
    write_gradient(unit, unit.line, 1.0F);
    unit.line = {};
    unit.coefficients = {};
  }
  if (what == element_choice)
    keeps_momentum(input_.replicator.kind) ? choose_elements(unit) : copy_gradient(unit);
  if (what == element_merge) merge_elements(unit);
  if (what == outer_difference) differ_from_anchor(unit);
  if (what == outer_step) step_anchor(unit);
}

void Replication::add_to_momentum(Unit& unit) {
  for (const PartOfAtom& part : unit.own.parts)
    kernels().momentum_add({part.count, static_cast<float>(input_.replicator.decay), rate_,
                            state_.held_gradient(*part.atom), unit.momentum.floats(part.place)},
                           stream());
}

void Replication::write_gradient(Unit& unit, const Buffer& merged, float share) {
  const bool sign = input_.replicator.sign && keeps_momentum(input_.replicator.kind);
  const auto as = sign ? kernels::MergedAs::sign : kernels::MergedAs::value;
  for (const PartOfAtom& part : unit.own.parts)
    kernels().merged_gradient(
        {part.count, merged.at(part.place), share, as, state_.held_gradient(*part.atom)}, stream());
}

// --- random, striding, full

void Replication::choose_elements(Unit& unit) {
  const Replicator& replicator = input_.replicator;
  const Index count = unit.own.cut.elements, chosen = sent(unit);
  unit.positions = place_.make(chosen, DataType::int32);
  auto* const positions = reinterpret_cast<std::int32_t*>(unit.positions.bytes().data());
  // Units draw from places of their own, 2^32 elements apart.
  if (replicator.kind == ReplicatorKind::random) {
    kernels().draw_positions(
        {count, chosen, static_cast<std::uint64_t>(replicator.seed),
         static_cast<std::uint64_t>(step_), Index{unit.number} << 32, positions},
        stream());
  } else {
    const Index stride = stride_of(replicator);
    kernels().stride_positions({count, chosen, (step_ - 1) % stride, stride, positions}, stream());
  }
  unit.exchanged = place_.make(chosen, value_type());
  kernels().take_elements({chosen, positions, unit.momentum.floats(), unit.exchanged.at()},
                          stream());
}

void Replication::copy_gradient(Unit& unit) {
  unit.exchanged = place_.zeroed(unit.own.cut.elements, value_type());
  for (const PartOfAtom& part : unit.own.parts)
    place_.kernels().cast(
        {part.count, state_.held_gradient(*part.atom), unit.exchanged.at(part.place)}, stream());
}

void Replication::merge_elements(Unit& unit) {
  const Buffer sums = std::exchange(unit.exchanged, {});
  if (unit.positions.empty()) return write_gradient(unit, sums, share());
  Buffer line = place_.make(unit.own.cut.elements, DataType::fp32);
  kernels().put_elements({line.count(), sums.count(),
                          reinterpret_cast<const std::int32_t*>(unit.positions.bytes().data()),
                          sums.at(), share(), line.floats()},
                         stream());
  unit.positions = {};
  write_gradient(unit, line, 1.0F);
}

// --- diloco

void Replication::differ_from_anchor(Unit& unit) {
  unit.exchanged = place_.zeroed(unit.own.cut.elements, value_type());
  for (const PartOfAtom& part : unit.own.parts)
    kernels().outer_difference({part.count, unit.anchor.floats(part.place),
                                state_.own_weights(*part.atom, 0), unit.exchanged.at(part.place)},
                               stream());
}

void Replication::step_anchor(Unit& unit) {
  const Buffer sums = std::exchange(unit.exchanged, {});
  const Replicator& replicator = input_.replicator;
  for (const PartOfAtom& part : unit.own.parts)
    kernels().outer_step(
        {part.count, sums.at(part.place), share(), static_cast<float>(replicator.outer_rate),
         static_cast<float>(replicator.outer_momentum), unit.velocity.floats(part.place),
         unit.anchor.floats(part.place), state_.own_weights(*part.atom, 0),
         state_.working_copy(*part.atom, 0)},
        stream());
}

}  // namespace quintet::engine
