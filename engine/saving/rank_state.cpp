#include "engine/saving/rank_state.h"

#include <fmt/format.h>

#include "engine/saving/float8_state.h"
#include "engine/saving/held_parts.h"

namespace quintet::engine {

namespace {

Piece piece_of(StateKind kind, const HeldPart& part) {
  return {state_name(kind, part.tensor), StoredType::fp32, part.tensor_shape, part.box};
}

std::vector<HeldPart> parts_of(const RankExecutor& executor, const KeptStretch& kept) {
  const Section& section = executor.layout().sections()[static_cast<std::size_t>(kept.section)];
  return held_parts(section, kept.place, kept.count);
}

// Ranks with the same share take turns.
bool answers_for(const CopyPlace& mine, const KeptStretch& kept) {
  return kept.atom % mine.copies == mine.position;
}

ParameterSource weights_in(Checkpoint& checkpoint) {
  return
      [&checkpoint](const Parameter& parameter, std::span<float> listed) -> std::optional<Error> {
        std::fill(listed.begin(), listed.end(), 0.0F);
        for (const Slice& slice : parameter.slices) {
          const Piece piece{state_name(StateKind::master_weight, slice.tensor.name),
                            StoredType::fp32, slice.tensor.shape, slice.box};
          const auto count = static_cast<std::size_t>(elements(slice.box.shape));
          const auto part = listed.subspan(static_cast<std::size_t>(slice.at), count);
          if (auto wrong = checkpoint.read(piece, std::as_writable_bytes(part))) return wrong;
        }
        return std::nullopt;
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

std::optional<Error> read_moments(Checkpoint& checkpoint, StateKind kind, const HeldPart& part,
                                  float* moments) {
  std::vector<float> box(static_cast<std::size_t>(elements(part.box.shape)));
  if (auto wrong =
          checkpoint.read(piece_of(kind, part), std::as_writable_bytes(std::span<float>(box))))
    return wrong;
  put_in(part, box, moments);
  return std::nullopt;
}

// All parts of a stretch's moments.
std::optional<Error> read_moments(Checkpoint& checkpoint, StateKind kind, RankExecutor& executor,
                                  const KeptStretch& kept, float* moments) {
  std::optional<Error> wrong;
  if (!moments) return wrong;
  executor.place().change(moments, kept.count, [&](float* values) {
    for (const HeldPart& part : parts_of(executor, kept))
      if (!wrong) wrong = read_moments(checkpoint, kind, part, values);
  });
  return wrong;
}

}  // namespace

Snapshot snapshot_of(RankExecutor& executor, Contents contents) {
  Snapshot snapshot;
  const CopyPlace mine = executor.copy_place();
  for (const KeptStretch& kept : executor.state().kept()) {
    if (!answers_for(mine, kept)) continue;
    const std::vector<HeldPart> parts = parts_of(executor, kept);
    const auto add = [&](StateKind kind, const float* memory) {
      if (!memory) return;
      executor.place().read(memory, kept.count, [&](const float* stretch) {
        for (const HeldPart& part : parts)
          if (part.holding != Holding::copy)
            snapshot.push_back({piece_of(kind, part), taken_out(part, stretch)});
      });
    };
    add(StateKind::master_weight, kept.weights);
    if (contents == Contents::weights) continue;
    add(StateKind::first_moment, kept.first_moments);
    add(StateKind::second_moment, kept.second_moments);
  }
  if (contents == Contents::weights_and_moments) add_float8_state(executor, snapshot);
  return snapshot;
}

std::optional<Error> restore(Checkpoint& checkpoint, RankExecutor& executor) {
  if (auto wrong = other_dropout(checkpoint, executor.input())) return wrong;
  if (auto wrong = executor.set_weights(weights_in(checkpoint))) return wrong;
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
