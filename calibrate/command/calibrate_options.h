// What `quintet calibrate` can be told, as its help says it.
#pragma once

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet::calibrate {

struct CalibrateArguments {
  std::string topology, output, journal;
  std::vector<std::string> models, plans, measured, set;
  std::vector<std::string> types;  // of computing; none: fp32 on cores, bf16 on GPUs
  std::string device = "cpu";
  // These describe the probes; 0: the models', or what the device's are by default.
  int smallest = 0, largest = 0, length = 0, tokens = 0, ranks = 0;
  double target = 3, time = 300;  // percent, seconds
  std::optional<int> hosts;
  std::string kernels = "fast";
  int steps = 10;
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  bool without_messages = false, without_operators = false, busy = false;
  std::optional<double> message_time;  // seconds; none: a fifth of `time`
  // These are for a job that mpirun or srun started.
  std::string address = "127.0.0.1", rendezvous, token_file;
};

// The options and their help; what is given goes into `into`, which must outlive the parsing.
Options calibrate_options(CalibrateArguments& into);

}  // namespace quintet::calibrate
