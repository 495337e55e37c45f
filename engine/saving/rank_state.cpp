#include "engine/saving/rank_state.h"

#include <fmt/format.h>

#include "engine/parameters/held_parts.h"
#include "engine/saving/float8_state.h"
#include "engine/saving/stored_elements.h"

namespace quintet::engine {

namespace {

Piece piece_of(StateKind kind, const HeldPart& part, kernels::ElementType type) {
  return {state_name(kind, part.tensor.name), stored_type(type), part.tensor.shape, part.box};
}

std::vector<HeldPart> parts_of(const RankExecutor& executor, const KeptStretch& kept) {
  const Section& section = executor.layout().sections()[static_cast<std::size_t>(kept.section)];
  return held_parts(section, kept.place, kept.count);
}

BoxSource weights_in(Checkpoint& checkpoint) {
  return [&checkpoint](const ParameterTensor& tensor, const Box& box, std::span<float> values) {
    return checkpoint.read(
        {state_name(StateKind::master_weight, tensor.name), StoredType::fp32, tensor.shape, box},
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
        if (!wrong) wrong = read_part(checkpoint, piece_of(kind, part, moments.type), part, values);
    });
  });
  return wrong;
}

}  // namespace

std::optional<Error> restore(Checkpoint& checkpoint, RankExecutor& executor) {
  if (auto wrong = other_dropout(checkpoint, executor.input())) return wrong;
  if (auto wrong = executor.set_weights({weights_in(checkpoint), executor.input().filling_threads}))
    return wrong;
  for (const KeptStretch& kept : executor.state().kept()) {
    if (auto wrong =
            read_moments(checkpoint, StateKind::first_moment, executor, kept, kept.first_moments))
      return wrong;
    if (auto wrong =
            read_moments(checkpoint, StateKind::second_moment, executor, kept, kept.second_moments))
      return wrong;
  }
  if (auto wrong = restore_float8_state(checkpoint, executor)) return wrong;
  const TrainingPosition& counts = checkpoint.manifest().state;
  executor.state().set_updates(counts.optimizer_step);
  if (executor.input().optimizer.loss_scaling.on())
    executor.state().set_loss_scale({counts.loss_scale, counts.steps_since_overflow});
  return std::nullopt;
}

}  // namespace quintet::engine
