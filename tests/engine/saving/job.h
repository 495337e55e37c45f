// Ranks that train a toy model as threads of this process, with what they tell each other.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "engine/peers/thread_peers.h"
#include "engine/saving/checkpoint_keeper.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/toy_layout.h"

namespace quintet::engine::test {

struct RankOfJob {
  const Toy& toy;
  const Program& program;
  RankExecutor& executor;
  Peers& peers;

  // Steps first + 1 .. last, and this rank's share of their losses.
  std::optional<Error> train(int first, int last, std::vector<double>& losses) const {
    const int replica = coordinate(program.grid, peers.rank(), Axis::data);
    for (int step = first; step < last; ++step) {
      const StepInput input = step_input(toy, step, replica);
      const auto report = executor.step(input);
      if (!report) return report.error();
      losses.push_back(report->loss_sum / input.targets);
    }
    return std::nullopt;
  }
};

using RankBody = std::function<std::optional<Error>(const RankOfJob&)>;

// What each rank's body gave; the first error ends the job on all ranks, as the transport would.
inline std::vector<std::optional<Error>> run_job(const Toy& toy, const Program& program,
                                                 const RankBody& body) {
  const int ranks = world_size(program.grid);
  LocalWorld world(program);
  ThreadPeers peers(ranks);
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int number = 0; number < ranks; ++number)
    threads.emplace_back([&, number] {
      const Rank rank{number};
      std::optional<Error>& error = errors[rank.index()];
      const auto kernels = kernels::reference_kernels();
      auto executor =
          RankExecutor::make(executor_input(toy, program, rank), *kernels, world.rank(rank));
      if (!executor) error = executor.error();
      if (executor) error = body({toy, program, **executor, peers.rank(rank)});
      if (!error) return;
      world.rank(rank).abort(*error);
      peers.fail(*error);
    });
  for (std::thread& thread : threads) thread.join();
  return errors;
}

inline std::vector<std::optional<Error>> run_job(const Toy& toy, const RankBody& body) {
  return run_job(toy, program_of(toy), body);
}

inline void expect_success(const std::vector<std::optional<Error>>& errors) {
  for (const std::optional<Error>& error : errors) ASSERT_FALSE(error) << error->text();
}

inline std::unique_ptr<CheckpointKeeper> keeper_in(const std::filesystem::path& folder,
                                                   Peers& peers, std::size_t keep = 3) {
  CheckpointOptions options;
  options.folder = folder;
  options.keep = keep;
  return std::move(*CheckpointKeeper::make(options, peers));
}

// All tensors of all kinds that a checkpoint of the model holds, put together.
inline std::map<std::string, std::vector<float>> content_of(const std::filesystem::path& folder,
                                                            const Model& model) {
  Result<NewestCheckpoint> newest = newest_checkpoint(folder);
  if (!newest) throw std::runtime_error(newest.error().text());
  std::map<std::string, std::vector<float>> content;
  for (const ParameterTensor& tensor : tensors_of(model))
    for (const StateKind kind :
         {StateKind::master_weight, StateKind::first_moment, StateKind::second_moment}) {
      std::vector<float> values(static_cast<std::size_t>(elements(tensor.shape)));
      const std::string name = state_name(kind, tensor.name);
      const auto wrong =
          newest->checkpoint.read({name, StoredType::fp32, tensor.shape, whole(tensor.shape)},
                                  std::as_writable_bytes(std::span(values)));
      if (wrong) throw std::runtime_error(wrong->text());
      content[name] = std::move(values);
    }
  return content;
}

}  // namespace quintet::engine::test
