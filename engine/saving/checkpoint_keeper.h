// The checkpoints of a run: written while training goes on, each whole or not there, the newest few
// kept; resumed by any layout.
//
//   auto keeper = CheckpointKeeper::make({.folder = ..., .every = 100, .keep = 3}, peers);
//   auto resumed = keeper->resume(executor);            // all ranks; or start afresh
//   for (...) { step; keeper->after_step(step, executor, sampler.state()); }
//   keeper->finish();
//
// Nothing is waited for when one begins: a thread of its own copies what is kept while the next
// step's forward and backward pass go on, and only that step's update waits until it is copied.
//
// Every rank calls the same with the same steps; the folder is one that all see. Each writes a
// shard of what it answers for; rank 0 makes the checkpoint complete when all shards are on the
// disk. After an error, which names rank, file and cause, only the newest unfinished checkpoint is
// lost and the keeper gives the same error again; other ranks get it from rank 0, or from whoever
// ends the job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/executor/rank_executor.h"
#include "engine/files/checkpoint/background_writer.h"
#include "engine/files/checkpoint/manifest.h"
#include "engine/files/data/batch_sampler.h"
#include "engine/peers/peers.h"
#include "engine/saving/state_copy.h"

namespace quintet::engine {

struct CheckpointOptions {
  std::filesystem::path folder;
  std::int64_t every = 1;  // steps
  std::size_t keep = 3;
  std::map<std::string, std::string> notes;  // into the manifest: model, plan, date
};

struct Resumed {
  std::int64_t step = 0;  // done
  SamplerState sampler;
  std::filesystem::path folder;  // of the checkpoint
  std::vector<Error> refused;    // on rank 0: newer ones that are damaged, set aside
};

class CheckpointKeeper {
 public:
  // Makes the folder where it is missing. `peers` must outlive this.
  static Result<std::unique_ptr<CheckpointKeeper>> make(CheckpointOptions options, Peers& peers);

  // The newest checkpoint that is whole, into the executor. Nothing: there is none. An error: there
  // are some, but none can be read, or not by this model.
  Result<std::optional<Resumed>> resume(RankExecutor& executor);

  // Whether after_step() begins a checkpoint, of the state as it is then.
  bool is_due(std::int64_t step) const { return step % options_.every == 0; }
  // `step` steps are done. Begins a checkpoint when it is time; goes on with the one being written.
  // Waits only where the last one is not written yet when the next is due.
  std::optional<Error> after_step(std::int64_t step, RankExecutor& executor,
                                  const SamplerState& sampler);
  // Begins one now, unless this step has one.
  std::optional<Error> save(std::int64_t step, RankExecutor& executor, const SamplerState& sampler);
  // Waits until what is being written is complete.
  std::optional<Error> finish();

  std::int64_t newest() const { return newest_; }  // step of the newest complete one; -1: none yet

 private:
  struct Saving {
    TrainingPosition state;
    std::optional<Result<ShardSummary>> mine;
    bool reported = false;                            // mine, to rank 0
    std::vector<std::optional<ShardSummary>> shards;  // on rank 0, by rank
  };
  enum class Waiting { no, until_complete };

  CheckpointKeeper(CheckpointOptions options, Peers& peers)
      : options_(std::move(options)), peers_(peers) {}

  bool first() const { return peers_.rank().value == 0; }
  Result<std::string> choose_checkpoint(std::vector<Error>& refused);
  std::optional<Error> read(std::int64_t step, RankExecutor& executor, Resumed& resumed);
  std::optional<Error> refuse_another_run();
  std::optional<Error> begin(std::int64_t step, RankExecutor& executor,
                             const SamplerState& sampler);
  void start_writing(const std::filesystem::path& folder, RankExecutor& executor);
  std::optional<Error> go_on(Waiting waiting);
  std::optional<Error> finish_shard(Waiting waiting);
  std::optional<Error> collect_shards(Waiting waiting);
  std::optional<Error> hear_verdict(Waiting waiting);
  std::optional<Error> complete();
  std::optional<Error> give_up(const Error& error);

  CheckpointOptions options_;
  Peers& peers_;
  std::unique_ptr<PinnedFetch> way_;  // of copies; null: not made yet, or not needed
  BackgroundWriter writer_;           // ends before the way does
  std::optional<Saving> saving_;
  std::optional<Error> failure_;
  std::int64_t newest_ = -1;
  bool owns_folder_ = false;  // what lies there is this run's
};

}  // namespace quintet::engine
