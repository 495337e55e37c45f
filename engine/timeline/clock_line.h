// Where a rank's steady clock stands against rank 0's, from messages that went there and back.
// Pure.
#pragma once

#include <chrono>
#include <span>
#include <vector>

namespace quintet::engine {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

struct RoundTrip {
  Clock::time_point sent, received;  // on rank 0's clock
  Clock::time_point answered;        // on the other's
};

struct ClockSample {
  Clock::time_point at;  // on the rank's own clock
  Nanoseconds ahead{};   // of rank 0's
  Nanoseconds bound{};   // `ahead` is wrong by no more, either way
  bool operator==(const ClockSample&) const = default;
};

// The rank read its clock at some time between `sent` and `received`: taken is their middle, wrong
// by half their distance at most, so the shortest round trip tells most (Cristian, "Probabilistic
// clock synchronization", Distributed Computing 3, 1989). At least one.
ClockSample shortest(std::span<const RoundTrip> trips);

// Samples over time, for clocks that do not run at one speed.
class ClockLine {
 public:
  void add(const ClockSample& sample);  // later than those before

  // Between two samples on the straight line through them; before the first and after the last, at
  // its distance. Without samples: rank 0's own clock.
  Clock::time_point on_rank_0(Clock::time_point theirs) const;
  // on_rank_0() is wrong by no more at any time between samples, as far as the clocks' speeds did
  // not change between them.
  Nanoseconds bound() const;

 private:
  std::vector<ClockSample> samples_;
};

}  // namespace quintet::engine
