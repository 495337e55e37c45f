// What makes a step's shards a checkpoint, and the little that is no tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/files/checkpoint/shard_file.h"
#include "sim/base/result.h"

namespace quintet {

// All randomness is by counter: seeds and positions are its whole state.
struct TrainingPosition {
  std::int64_t step = 0;            // steps done
  std::int64_t optimizer_step = 0;  // updates done: fewer when the loss scale made one be skipped
  std::uint64_t weight_seed = 0;
  std::uint64_t dropout_seed = 0;
  std::uint64_t data_seed = 0;
  std::int64_t next_sequence = 0;  // of the batch sampler
  double loss_scale = 1.0;
  std::int64_t steps_since_overflow = 0;
  bool operator==(const TrainingPosition&) const = default;
};

struct Manifest {
  TrainingPosition state;
  std::vector<ShardSummary> shards;
  // What the reader may want to compare or show: model, plan, date. Not interpreted here.
  std::map<std::string, std::string> notes;
  bool operator==(const Manifest&) const = default;
};

// JSON that ends with the checksum of all else; parse_manifest reads it back to an equal one.
std::string manifest_text(const Manifest& manifest);
// Refuses shards that lead out of the folder and a text whose own checksum does not fit.
Result<Manifest> parse_manifest(const std::string& text, const std::string& where);

// A summary travels from each rank to the one that writes the manifest.
std::string summary_text(const ShardSummary& summary);
Result<ShardSummary> parse_summary(const std::string& text, const std::string& where);

}  // namespace quintet
