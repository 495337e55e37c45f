// What a training run is told beyond its plan.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/parameters/learning_rate.h"
#include "engine/parameters/training_state.h"
#include "engine/plan_limits/plan_deviations.h"
#include "engine/recording/step_capture.h"
#include "sim/json/field_change.h"

namespace quintet::engine {

enum class KernelChoice { reference, fast, onednn };

enum class RankKind { processes, threads };  // threads: of one process, on one processor
// What carries data between GPUs.
enum class Carry { plan, nccl, host };

// Tokens whose loss is asked for and that nothing is learned from.
struct ValidationOptions {
  std::filesystem::path data;  // text, token shard or folder of shards; empty: none
  double share = 0;            // of the training data's sequences, the last ones; 0: none
  int every = 0;               // steps; 0: at the end only
  int sequences = 256;         // at most so many, the first ones
  bool on() const { return !data.empty() || share > 0; }
};

struct TrainingOptions {
  std::filesystem::path plan, model;                  // files
  FieldChanges plan_changes, topology_changes;        // of fields in them
  std::optional<std::filesystem::path> topology;      // none: each rank on a host of its own
  enum class Shaped { no, yes } shaped = Shaped::no;  // the network is the topology's
  enum class Beginning { silent, said } beginning = Beginning::silent;  // of the first step
  std::vector<std::filesystem::path> data;  // text, token shards, or folders of shards
  std::filesystem::path tokenizer;          // of text; empty: bytes
  std::optional<int> mask_token;            // BERT
  // The token that ends a document of token shards: documents are samples of unequal length then.
  std::optional<int> end_of_document;

  int steps = 20;
  std::uint64_t seed = 0;
  Processor processor = Processor::cpu;
  RankKind ranks = RankKind::processes;
  Carry carry = Carry::plan;                  // on GPUs, between processes
  KernelChoice kernels = KernelChoice::fast;  // of the CPU
  int threads = 1;                            // of a rank; onednn alone uses more than one
  int ranks_on_host = 1;                      // that share this machine's cores
  LearningRate learning_rate{.peak = 1e-3, .warm_up = 20};
  LossScaling loss_scaling;
  float weight_decay = 0.1F;
  float maximum_norm = 1.0F;  // of gradients, where the plan clips

  ValidationOptions validation;

  std::filesystem::path log, timeline;           // empty: none
  CaptureChoice capture = CaptureChoice::cupti;  // of a device's times, for the timeline
  std::filesystem::path weights, save_weights;   // likewise
  std::filesystem::path checkpoint;              // folder, likewise
  int checkpoint_every = 0;                      // steps; 0: at the end only
  int keep = 3;
  enum class Start { fresh, resume } start = Start::fresh;
  double deadline = 60;  // seconds for each communication

  // Between steps, schedule and delegates become the fastest for the links between stages as they
  // are found to be (engine/adapt).
  struct Adapting {
    bool on = false;
    std::string costs{};  // by which plans are compared: a file or shipped table; empty: cpu-core
  } adapting;
};

}  // namespace quintet::engine
