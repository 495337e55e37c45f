#include "engine/saving/rank_state.h"

#include <fmt/format.h>

#include "engine/parameters/held_parts.h"
#include "engine/saving/float8_state.h"
#include "engine/saving/stored_elements.h"

namespace quintet::engine {

namespace {

// A replica's own where the checkpoint has it, else what all have, or the first one had.
std::string name_in(const Checkpoint& checkpoint, int replica, StateKind kind,
                    const ParameterTensor& tensor) {
  const std::string name = state_name(kind, tensor.name);
  const std::string own = name_of_replica(replica, name);
  return checkpoint.holds(own) ? own : name;
}

std::vector<HeldPart> parts_of(const RankExecutor& executor, const KeptStretch& kept) {
  const Section& section = executor.layout().sections()[static_cast<std::size_t>(kept.section)];
  return held_parts(section, kept.place, kept.count);
}

BoxSource weights_in(Checkpoint& checkpoint, int replica) {
  return [&checkpoint, replica](const ParameterTensor& tensor, const Box& box,
                                std::span<float> values) {
    return checkpoint.read({name_in(checkpoint, replica, StateKind::master_weight, tensor),
                            StoredType::fp32, tensor.shape, box},
                           std::as_writable_bytes(values));
  };
}

// Dropout draws from the seed that the weights began with.
std::optional<Error> other_dropout(const Checkpoint& checkpoint, const RankExecutorInput& input) {
  const std::uint64_t seed = checkpoint.manifest().state.dropout_seed;
  const bool draws = input.model.dropout > 0 || input.model.attention_dropout > 0;
  if (!draws || seed == input.initial.seed) return std::nullopt;
  return Error{
      checkpoint.folder().string(),
      fmt::format(
          "was trained with seed {}, from which dropout draws, not {}: give that seed again", seed,
          input.initial.seed)};
}

template <class Element>
std::optional<Error> read_part(Checkpoint& checkpoint, const Piece& piece, const HeldPart& part,
                               Element* moments) {
  std::vector<Element> box(static_cast<std::size_t>(elements(part.box.shape)));
  if (auto wrong = checkpoint.read(piece, std::as_writable_bytes(std::span(box)))) return wrong;
  put_in(part, box, moments);
  return std::nullopt;
}

// All parts of a stretch's moments.
std::optional<Error> read_moments(Checkpoint& checkpoint, StateKind kind, RankExecutor& executor,
                                  const KeptStretch& kept, const kernels::Tensor& moments) {
  std::optional<Error> wrong;
  if (moments.data == nullptr) return wrong;
  with_elements(moments, [&](auto* memory) {
    executor.place().change(memory, kept.count, [&](auto* values) {
      for (const HeldPart& part : parts_of(executor, kept))
        if (!wrong)
          wrong = read_part(checkpoint,
                            {name_in(checkpoint, executor.copy_place().position, kind, part.tensor),
                             stored_type(moments.type), part.tensor.shape, part.box},
                            part, values);
    });
  });
  return wrong;
}

// What another plan did not keep stays as it is without: no momentum, the weights as anchor.
std::optional<Error> read_replicator(Checkpoint& checkpoint, RankExecutor& executor,
                                     const KeptStretch& kept) {
  const KeptByReplicator beside = executor.replication().kept(kept.element);
  const std::vector<HeldPart> parts = parts_of(executor, kept);
  const auto read = [&](StateKind kind, float* values) -> std::optional<Error> {
    if (parts.empty() || !checkpoint.holds(state_name(kind, parts.front().tensor.name)))
      return std::nullopt;
    return read_moments(checkpoint, kind, executor, kept, values);
  };
  if (auto wrong = read(StateKind::replica_momentum, beside.momentum)) return wrong;
  if (auto wrong = read(StateKind::outer_anchor, beside.anchor)) return wrong;
  return read(StateKind::outer_velocity, beside.velocity);
}

}  // namespace

std::optional<Error> restore(Checkpoint& checkpoint, RankExecutor& executor) {
  if (auto wrong = other_dropout(checkpoint, executor.input())) return wrong;
  if (auto wrong = executor.set_weights({weights_in(checkpoint, executor.copy_place().position),
                                         executor.input().filling_threads}))
    return wrong;
  for (const KeptStretch& kept : executor.state().kept()) {
    if (auto wrong =
            read_moments(checkpoint, StateKind::first_moment, executor, kept, kept.first_moments))
      return wrong;
    if (auto wrong =
            read_moments(checkpoint, StateKind::second_moment, executor, kept, kept.second_moments))
      return wrong;
    if (auto wrong = read_replicator(checkpoint, executor, kept)) return wrong;
  }
  if (auto wrong = restore_float8_state(checkpoint, executor)) return wrong;
  const TrainingPosition& counts = checkpoint.manifest().state;
  executor.state().set_updates(counts.optimizer_step);
  if (executor.input().optimizer.loss_scaling.on())
    executor.state().set_loss_scale({counts.loss_scale, counts.steps_since_overflow});
  return std::nullopt;
}

}  // namespace quintet::engine
