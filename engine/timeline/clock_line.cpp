#include "engine/timeline/clock_line.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace quintet::engine {

namespace {

Nanoseconds length(const RoundTrip& trip) {
  return trip.received - trip.sent;
}

Nanoseconds ahead_between(const ClockSample& left, const ClockSample& right,
                          Clock::time_point theirs) {
  const auto part = static_cast<double>((theirs - left.at).count()) /
                    static_cast<double>((right.at - left.at).count());
  const auto more = static_cast<double>((right.ahead - left.ahead).count());
  return left.ahead + Nanoseconds(std::llround(part * more));
}

}  // namespace

ClockSample shortest(std::span<const RoundTrip> trips) {
  assert(!trips.empty());
  const RoundTrip& best = *std::min_element(
      trips.begin(), trips.end(),
      [](const RoundTrip& left, const RoundTrip& right) { return length(left) < length(right); });
  // Half of an odd length is rounded up, so that the bound stays one.
  const Nanoseconds half = (length(best) + Nanoseconds(1)) / 2;
  return {best.answered, best.answered - (best.sent + half), half};
}

void ClockLine::add(const ClockSample& sample) {
  assert(samples_.empty() || samples_.back().at < sample.at);
  samples_.push_back(sample);
}

Clock::time_point ClockLine::on_rank_0(Clock::time_point theirs) const {
  if (samples_.empty()) return theirs;
  const auto right =
      std::find_if(samples_.begin(), samples_.end(),
                   [theirs](const ClockSample& sample) { return theirs <= sample.at; });
  if (right == samples_.begin()) return theirs - samples_.front().ahead;
  if (right == samples_.end()) return theirs - samples_.back().ahead;
  return theirs - ahead_between(*(right - 1), *right, theirs);
}

Nanoseconds ClockLine::bound() const {
  Nanoseconds most{};
  for (const ClockSample& sample : samples_) most = std::max(most, sample.bound);
  return most;
}

}  // namespace quintet::engine
