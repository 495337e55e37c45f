// The command line of `quintet run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/train/training_options.h"
#include "sim/result.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

// As given; names of shipped files are found by checked().
struct RunArguments {
  std::string plan, model, topology, kernels = "fast";
  std::vector<std::string> data;
  std::optional<int> ranks, mask_token;
  int threads = 1;
  bool resume = false;
  std::string address = "127.0.0.1", token_file, rendezvous;
  TrainingOptions training;
};

void add_run_options(CLI::App& app, RunArguments& into);

// Files found, values in range.
Result<TrainingOptions> checked(const RunArguments& arguments);

}  // namespace quintet::engine
