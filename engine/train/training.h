// One rank's training run: from a job that it has joined to the summary.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/communication/communication_backend.h"
#include "engine/peers/peers.h"
#include "engine/train/surroundings.h"
#include "engine/train/training_inputs.h"
#include "kernels/device.h"

namespace quintet::engine {

struct TrainingEnd {
  int steps = 0;
  enum class Why { done, interrupted } why = Why::done;
};

// `interrupted`: asked after every step; when it says yes on one rank, all end after that step.
// What rank 0 tells people goes line by line to `say`.
struct TrainingHooks {
  std::function<bool()> interrupted;
  std::function<void(const std::string& line)> say;
};

// What a rank has of its job, be it a process or a thread. All of it outlives the training and is
// this rank's own.
struct RankParts {
  CommunicationBackend& backend;  // of the device's memory, where there is one
  Peers& peers;                   // its rank is the one that trains
  const Surroundings& surroundings;
  kernels::Device* device = nullptr;  // null: the kernels of the options, on CPU cores
  OpenRecorder
      open_recorder{};  // of what the device does; asked once at most, empty: there is none
  std::filesystem::path nccl_profile{};  // that NCCL's profiler adds to; empty: none
};

// The rank takes part in every step until the last; the error names the rank that failed and how.
Result<TrainingEnd> train(const TrainingInputs& inputs, const TrainingOptions& options,
                          const RankParts& rank, const TrainingHooks& hooks);

}  // namespace quintet::engine
