// Who in the engine asks a device for work: an instruction of a step, or the step as a whole. The
// number of one is the purpose that a recorder notes with each call.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/activity_recorder.h"

namespace quintet::engine {

struct Requester {
  std::uint64_t step = 0;  // counted by the rank; below 2^31
  std::optional<int> task{};
  bool operator==(const Requester&) const = default;
};

// As a recorder takes it: never 0.
constexpr std::uint64_t number_of(const Requester& requester) {
  const std::uint64_t task = requester.task ? static_cast<std::uint64_t>(*requester.task) + 1 : 0;
  return (requester.step + 1) << 32 | task;
}

// Nothing where it is none of ours.
constexpr std::optional<Requester> requester_of(std::uint64_t number) {
  if (number >> 32 == 0) return std::nullopt;
  const auto task = static_cast<std::uint32_t>(number);
  Requester requester{(number >> 32) - 1, {}};
  if (task > 0) requester.task = static_cast<int>(task - 1);
  return requester;
}

// While it lives, what this thread asks of devices is for the requester. Null: nobody records.
class AskingFor {
 public:
  AskingFor(kernels::ActivityRecorder* recorder, const Requester& requester) : recorder_(recorder) {
    if (recorder_ != nullptr) recorder_->begin(number_of(requester));
  }
  ~AskingFor() {
    if (recorder_ != nullptr) recorder_->end();
  }
  AskingFor(const AskingFor&) = delete;
  AskingFor& operator=(const AskingFor&) = delete;

 private:
  kernels::ActivityRecorder* recorder_;
};

}  // namespace quintet::engine
