// A step's batches, and its learning rate, where kernels find them: as they are, or in a device's
// memory, to which all goes in one copy.
#pragma once

#include <utility>
#include <vector>

#include "engine/device/workplace.h"
#include "engine/files/data/batch.h"

namespace quintet::engine {

struct PlacedBatch {
  const Batch* host = nullptr;
  const std::int32_t* tokens = nullptr;
  const std::int32_t* targets = nullptr;
  const std::int32_t* positions = nullptr;
  const std::int32_t* types = nullptr;
  const std::int32_t* starts = nullptr;
};

class StepBatches {
 public:
  // On a device batches are rounded up to one of the counts, if there are any (sized_batches.h).
  explicit StepBatches(Workplace& place, std::vector<int> counts = {})
      : place_(place), counts_(std::move(counts)) {}

  // The batches must stay as long as they are asked for.
  void take(const std::vector<Batch>& batches, float learning_rate);
  // What of them kernels are told, besides where they lie: how many numbers of each kind there are,
  // and where sequences start.
  static std::vector<std::size_t> sizes(const std::vector<Batch>& batches);
  const PlacedBatch& batch(int number) const { return placed_[static_cast<std::size_t>(number)]; }
  const float* learning_rate() const { return placed_rate_; }

 private:
  void bring(const std::vector<Batch>& batches);
  static std::size_t most_numbers(const std::vector<Batch>& batches);

  Workplace& place_;
  const std::vector<int> counts_;
  std::vector<Batch> rounded_;
  std::vector<PlacedBatch> placed_;
  std::vector<std::int32_t> numbers_;  // of all batches, one after the other
  Buffer brought_;
  float learning_rate_ = 0;
  const float* placed_rate_ = nullptr;
};

}  // namespace quintet::engine
