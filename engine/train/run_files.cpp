#include "engine/train/run_files.h"

#include <fmt/format.h>

#include <limits>

#include "engine/peers/peers.h"
#include "engine/saving/saved_weights.h"

namespace quintet::engine {

Result<std::unique_ptr<RunFiles>> RunFiles::make(const TrainingInputs& inputs,
                                                 const TrainingOptions& options, Peers& peers) {
  std::unique_ptr<RunFiles> made(new RunFiles(options, peers));
  if (options.checkpoint.empty()) return made;
  CheckpointOptions checkpoints;
  checkpoints.folder = options.checkpoint;
  checkpoints.every = options.checkpoint_every > 0 ? options.checkpoint_every
                                                   : std::numeric_limits<std::int64_t>::max();
  checkpoints.keep = static_cast<std::size_t>(options.keep);
  checkpoints.notes = {{"model", inputs.model.name}, {"plan", inputs.plan.name}};
  auto keeper = CheckpointKeeper::make(std::move(checkpoints), made->peers_);
  if (!keeper) return keeper.error();
  made->keeper_ = std::move(*keeper);
  return made;
}

Result<std::string> RunFiles::read_weights(RankExecutor& executor) {
  const auto left_over = load_weights(executor, options_.weights);
  const std::optional<Error> mine =
      left_over ? std::nullopt : std::optional(error_of(peers_.rank(), left_over.error()));
  if (const auto wrong = agreed(peers_, mine)) return *wrong;
  std::string remark = "Weights from " + options_.weights.string();
  if (!left_over->empty())
    remark += fmt::format("; the model has no place for {} tensors of it, the first is {}",
                          left_over->size(), left_over->front());
  return remark;
}

std::optional<Error> RunFiles::draw_weights(RankExecutor& executor) {
  const std::optional<Error> wrong = executor.draw_weights();
  return wrong ? std::optional(error_of(peers_.rank(), *wrong)) : std::nullopt;
}

Result<Beginning> RunFiles::begin(RankExecutor& executor) {
  Beginning beginning;
  beginning.sampler.seed = options_.seed;
  if (!options_.weights.empty()) {
    const Result<std::string> remark = read_weights(executor);
    if (!remark) return remark.error();
    beginning.remarks.push_back(*remark);
  }
  const bool resumes = keeper_ && options_.start == TrainingOptions::Start::resume;
  Result<std::optional<Resumed>> resumed = std::optional<Resumed>();
  if (resumes) resumed = keeper_->resume(executor);
  if (!resumed) return resumed.error();
  if (!*resumed) {
    if (resumes)
      beginning.remarks.push_back(options_.checkpoint.string() +
                                  " holds no checkpoint: beginning at step 1");
    if (options_.weights.empty())
      if (auto wrong = draw_weights(executor)) return *wrong;
    return beginning;
  }
  for (const Error& refused : (*resumed)->refused)
    beginning.remarks.push_back("Refused " + refused.text());
  beginning.remarks.push_back(
      fmt::format("Resuming after step {} from {}", (*resumed)->step, (*resumed)->folder.string()));
  beginning.steps_done = static_cast<int>((*resumed)->step);
  beginning.sampler = (*resumed)->sampler;
  return beginning;
}

std::optional<Error> RunFiles::after_step(int step, RankExecutor& executor,
                                          const SamplerState& sampler) {
  return keeper_ ? keeper_->after_step(step, executor, sampler) : std::nullopt;
}

std::optional<Error> RunFiles::write_weights(RankExecutor& executor) {
  if (const auto wrong = save_weights(executor, options_.save_weights, peers_)) return wrong;
  if (peers_.rank().value != 0) return std::nullopt;
  std::error_code failure;
  const std::filesystem::path config = options_.save_weights / "config.json";
  if (std::filesystem::equivalent(options_.model, config, failure)) return std::nullopt;
  std::filesystem::copy_file(options_.model, config,
                             std::filesystem::copy_options::overwrite_existing, failure);
  if (failure) return error_of(peers_.rank(), {config.string(), failure.message()});
  return std::nullopt;
}

std::optional<Error> RunFiles::finish(int step, RankExecutor& executor,
                                      const SamplerState& sampler) {
  if (keeper_) {
    if (auto wrong = keeper_->save(step, executor, sampler)) return wrong;
    if (auto wrong = keeper_->finish()) return wrong;
  }
  return options_.save_weights.empty() ? std::nullopt : write_weights(executor);
}

}  // namespace quintet::engine
