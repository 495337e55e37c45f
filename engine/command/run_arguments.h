// What `quintet run` was told, and whether it makes sense.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/train/training_options.h"
#include "sim/base/result.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

// As given: names of shipped files and words are understood by checked().
struct RunArguments {
  std::string plan, model, topology, kernels = "fast";
  std::string device = "cpu", carry = "plan", capture = "cupti";
  bool one_process = false;
  std::vector<std::string> data, set;
  bool resume = false, quiet = false;
  std::string validate;             // a share or a file
  std::string memory_check = "on";  // or off
  std::string costs;                // of the estimate; empty: the shipped ones
  TrainingOptions training;

  std::optional<int> ranks, mask_token;
  std::string address;  // empty: the loopback interface
  std::string hosts, ssh = "ssh -o BatchMode=yes";
  std::string shape;   // topology whose network is made
  std::string faults;  // file of what goes wrong with it meanwhile
  std::string token_file, rendezvous;
};

// Files found, words understood, values in range, options that need each other there.
Result<TrainingOptions> checked(const RunArguments& arguments);

// The options and their help (run_options.cpp). What is given goes into `into`, which must outlive
// the parsing and holds the defaults.
Options run_options(RunArguments& into);

}  // namespace quintet::engine
