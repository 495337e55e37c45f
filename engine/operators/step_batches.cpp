#include "engine/operators/step_batches.h"

#include <array>
#include <bit>

#include "engine/operators/sized_batches.h"

namespace quintet::engine {

namespace {

using Numbers = std::vector<std::int32_t>;

std::array<const Numbers*, 5> numbers_of(const Batch& batch) {
  return {&batch.tokens, &batch.targets, &batch.positions, &batch.types, &batch.starts};
}

PlacedBatch placed(const Batch& batch, const std::array<const std::int32_t*, 5>& at) {
  return {&batch, at[0], at[1], at[2], at[3], at[4]};
}

}  // namespace

void StepBatches::take(const std::vector<Batch>& batches, float learning_rate) {
  placed_.clear();
  learning_rate_ = learning_rate;
  placed_rate_ = &learning_rate_;
  if (place_.on_device()) {
    if (counts_.empty()) return bring(batches);
    rounded_.clear();
    for (const Batch& batch : batches) rounded_.push_back(rounded_up(batch, counts_));
    return bring(rounded_);
  }
  for (const Batch& batch : batches)
    placed_.push_back(
        placed(batch, {batch.tokens.data(), batch.targets.data(), batch.positions.data(),
                       batch.types.data(), batch.starts.data()}));
}

std::vector<std::size_t> StepBatches::sizes(const std::vector<Batch>& batches) {
  std::vector<std::size_t> sizes;
  for (const Batch& batch : batches) {
    for (const Numbers* const each : numbers_of(batch)) sizes.push_back(each->size());
    sizes.insert(sizes.end(), batch.starts.begin(), batch.starts.end());
  }
  return sizes;
}

// A batch has so many tokens: a document has one or more. Steps differ in the number of their
// documents, and none of them may need more of the device than the first.
std::size_t StepBatches::most_numbers(const std::vector<Batch>& batches) {
  std::size_t most = 0;
  for (const Batch& batch : batches) {
    for (const Numbers* const each : numbers_of(batch)) most += each->size();
    most += batch.tokens.size() + 1 - batch.starts.size();
  }
  return most;
}

void StepBatches::bring(const std::vector<Batch>& batches) {
  numbers_.clear();
  for (const Batch& batch : batches)
    for (const Numbers* const each : numbers_of(batch))
      numbers_.insert(numbers_.end(), each->begin(), each->end());
  numbers_.resize(most_numbers(batches));
  numbers_.push_back(std::bit_cast<std::int32_t>(learning_rate_));
  const auto count = static_cast<Index>(numbers_.size());
  if (brought_.count() != count) brought_ = place_.make(count, DataType::int32);
  const std::span<std::byte> memory = brought_.bytes();
  place_.send_soon(memory.data(), numbers_.data(), memory.size());
  const auto* next = reinterpret_cast<const std::int32_t*>(memory.data());
  placed_rate_ = reinterpret_cast<const float*>(next) + (count - 1);
  for (const Batch& batch : batches) {
    std::array<const std::int32_t*, 5> at{};
    for (std::size_t which = 0; which < at.size(); ++which) {
      at[which] = next;
      next += numbers_of(batch)[which]->size();
    }
    placed_.push_back(placed(batch, at));
  }
}

}  // namespace quintet::engine
