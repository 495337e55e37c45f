#include "engine/saving/checkpoint_keeper.h"

#include <fmt/format.h>

#include <cassert>
#include <charconv>
#include <stdexcept>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "engine/peers/peers.h"
#include "engine/saving/rank_state.h"
#include "sim/base/shown_text.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;

std::int64_t step_in(const std::string& text) {
  std::int64_t step = -1;
  std::from_chars(text.data(), text.data() + text.size(), step);
  return step;
}

// Out of the way of the steps that will be saved again under its number.
void set_aside(const fs::path& folder) {
  const fs::path aside = fs::path(folder).concat(".damaged");
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  fs::rename(folder, aside, ignored);
}

}  // namespace

Result<std::unique_ptr<CheckpointKeeper>> CheckpointKeeper::make(CheckpointOptions options,
                                                                 Peers& peers) {
  assert(options.every > 0 && options.keep > 0);
  std::error_code failure;
  fs::create_directories(options.folder, failure);
  if (failure)
    return error_of(peers.rank(), {shown(options.folder.string(), 1000),
                                   "cannot be created: " + failure.message()});
  return std::unique_ptr<CheckpointKeeper>(new CheckpointKeeper(std::move(options), peers));
}

// --- resuming

// "": there is none.
Result<std::string> CheckpointKeeper::choose_checkpoint(std::vector<Error>& refused) {
  remove_unfinished(options_.folder);
  if (complete_steps(options_.folder).empty()) return std::string();
  Result<NewestCheckpoint> newest = newest_checkpoint(options_.folder);
  if (!newest) return error_of(Rank{0}, newest.error());
  const std::int64_t step = newest->checkpoint.manifest().state.step;
  for (const std::int64_t other : complete_steps(options_.folder))
    if (other > step) set_aside(step_folder(options_.folder, other));
  refused = std::move(newest->refused);
  return std::to_string(step);
}

std::optional<Error> CheckpointKeeper::read(std::int64_t step, RankExecutor& executor,
                                            Resumed& resumed) {
  resumed.folder = step_folder(options_.folder, step);
  Result<Checkpoint> checkpoint = Checkpoint::open(resumed.folder);
  if (!checkpoint) return checkpoint.error();
  const TrainingPosition& state = checkpoint->manifest().state;
  resumed.step = state.step;
  resumed.sampler = {state.data_seed, state.next_sequence};
  return restore(*checkpoint, executor);
}

Result<std::optional<Resumed>> CheckpointKeeper::resume(RankExecutor& executor) {
  Resumed resumed;
  Result<std::string> mine = std::string();
  if (first()) mine = choose_checkpoint(resumed.refused);
  const Result<std::string> chosen = told(peers_, mine);
  if (!chosen) return chosen.error();
  owns_folder_ = true;
  if (chosen->empty()) return std::optional<Resumed>();
  const std::optional<Error> wrong = read(step_in(*chosen), executor, resumed);
  if (const auto first_wrong = agreed(peers_, wrong)) return *first_wrong;
  newest_ = resumed.step;
  return std::optional(std::move(resumed));
}

// --- saving

std::optional<Error> CheckpointKeeper::after_step(std::int64_t step, RankExecutor& executor,
                                                  const SamplerState& sampler) {
  if (auto wrong = refuse_another_run()) return wrong;
  if (auto wrong = go_on(Waiting::no)) return wrong;
  if (!is_due(step)) return std::nullopt;
  return save(step, executor, sampler);
}

std::optional<Error> CheckpointKeeper::save(std::int64_t step, RankExecutor& executor,
                                            const SamplerState& sampler) {
  if (auto wrong = refuse_another_run()) return wrong;
  if (saving_ && saving_->state.step == step) return std::nullopt;
  if (auto wrong = go_on(Waiting::until_complete)) return wrong;
  if (newest_ == step) return std::nullopt;
  return begin(step, executor, sampler);
}

std::optional<Error> CheckpointKeeper::finish() {
  return go_on(Waiting::until_complete);
}

// Steps of another run would be counted among the newest and ours be removed for them.
std::optional<Error> CheckpointKeeper::refuse_another_run() {
  if (owns_folder_ || failure_) return failure_;
  const std::vector<std::int64_t> steps = complete_steps(options_.folder);
  owns_folder_ = steps.empty();
  if (owns_folder_) return std::nullopt;
  failure_ = error_of(
      peers_.rank(),
      {shown(options_.folder.string(), 1000),
       fmt::format(
           "holds the checkpoints of a run up to step {}: resume it, or choose an empty folder",
           steps.back())});
  return failure_;
}

std::optional<Error> CheckpointKeeper::begin(std::int64_t step, RankExecutor& executor,
                                             const SamplerState& sampler) {
  Saving saving;
  saving.state.step = step;
  saving.state.optimizer_step = executor.state().updates();
  saving.state.weight_seed = executor.input().initial.seed;
  saving.state.dropout_seed = executor.input().initial.seed;
  saving.state.data_seed = sampler.seed;
  saving.state.next_sequence = sampler.next_sequence;
  saving.state.loss_scale = executor.state().loss_scale().scale;
  saving.state.steps_since_overflow = executor.state().loss_scale().steps_since_overflow;
  saving.shards.resize(static_cast<std::size_t>(peers_.world()));
  saving_ = std::move(saving);
  if (auto wrong = make_step_folder(options_.folder, step))
    saving_->mine = *wrong;
  else
    start_writing(step_folder(options_.folder, step), executor);
  return std::nullopt;
}

// What the way takes of a device it takes between two steps, once.
void CheckpointKeeper::start_writing(const fs::path& folder, RankExecutor& executor) try {
  if (!way_) way_ = way_of_copies(executor);
  writer_.start(folder / shard_name(peers_.rank().value),
                std::make_unique<StateCopy>(executor, Contents::weights_and_moments, way_.get()));
} catch (const std::runtime_error& failure) {
  saving_->mine = Error{"device", failure.what()};
}

std::optional<Error> CheckpointKeeper::go_on(Waiting waiting) {
  if (failure_ || !saving_) return failure_;
  if (!saving_->reported)
    if (auto wrong = finish_shard(waiting)) return wrong;
  if (!saving_->reported) return std::nullopt;
  return first() ? collect_shards(waiting) : hear_verdict(waiting);
}

std::optional<Error> CheckpointKeeper::finish_shard(Waiting waiting) {
  std::optional<Result<ShardSummary>>& mine = saving_->mine;
  if (writer_.busy()) {
    if (waiting == Waiting::no)
      mine = writer_.finished();
    else
      mine = writer_.wait();
  }
  if (!mine) return std::nullopt;
  saving_->reported = true;
  const Rank rank = peers_.rank();
  if (!first()) {
    Result<std::string> report = std::string();
    report = *mine ? Result<std::string>(summary_text(**mine)) : (*mine).error();
    peers_.send_text(Rank{0}, report_text(report));
  } else if (*mine) {
    saving_->shards.front() = **mine;
  }
  return *mine ? std::nullopt : give_up(error_of(rank, mine->error()));
}

std::optional<Error> CheckpointKeeper::collect_shards(Waiting waiting) {
  const Patience patience = waiting == Waiting::no ? Patience::none : Patience::until_one_is_over;
  for (int rank = 1; rank < peers_.world(); ++rank) {
    std::optional<ShardSummary>& shard = saving_->shards[static_cast<std::size_t>(rank)];
    if (shard) continue;
    const Result<std::optional<std::string>> text = peers_.receive_text(Rank{rank}, patience);
    if (!text) return give_up(text.error());
    if (!*text) return std::nullopt;
    const Result<std::string> report = parse_report(**text);
    if (!report) return give_up(error_of(Rank{rank}, report.error()));
    const Result<ShardSummary> summary = parse_summary(*report, "its summary");
    if (!summary) return give_up(error_of(Rank{rank}, summary.error()));
    shard = *summary;
  }
  return complete();
}

std::optional<Error> CheckpointKeeper::complete() {
  Manifest manifest{saving_->state, {}, options_.notes};
  for (const std::optional<ShardSummary>& shard : saving_->shards)
    manifest.shards.push_back(*shard);
  if (auto wrong = complete_step(options_.folder, manifest))
    return give_up(error_of(Rank{0}, *wrong));
  newest_ = manifest.state.step;
  if (auto wrong = keep_newest(options_.folder, options_.keep))
    return give_up(error_of(Rank{0}, *wrong));
  saving_.reset();
  static_cast<void>(told(peers_, std::string()));
  return std::nullopt;
}

std::optional<Error> CheckpointKeeper::hear_verdict(Waiting waiting) {
  const Patience patience = waiting == Waiting::no ? Patience::none : Patience::until_one_is_over;
  const Result<std::optional<std::string>> text = peers_.receive_text(Rank{0}, patience);
  if (!text) return give_up(text.error());
  if (!*text) return std::nullopt;
  const Result<std::string> verdict = parse_report(**text);
  if (!verdict) return give_up(verdict.error());
  newest_ = saving_->state.step;
  saving_.reset();
  return std::nullopt;
}

// Others may still write: what is unfinished goes when the run is resumed.
std::optional<Error> CheckpointKeeper::give_up(const Error& error) {
  failure_ = error;
  if (first()) static_cast<void>(told(peers_, error));
  saving_.reset();
  return failure_;
}

}  // namespace quintet::engine
