#include "engine/timeline/job_clock.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "engine/network/transport/transport.h"

namespace quintet::engine {

namespace {

constexpr std::uint64_t question = label_in(LabelSpace::clock, 0);
constexpr std::uint64_t reply = label_in(LabelSpace::clock, 1);

using Reading = std::array<std::byte, sizeof(std::int64_t)>;

Reading bytes_of(Clock::time_point time) {
  const std::int64_t count =
      std::chrono::duration_cast<Nanoseconds>(time.time_since_epoch()).count();
  Reading reading;
  std::memcpy(reading.data(), &count, reading.size());
  return reading;
}

Clock::time_point time_of(const Reading& reading) {
  std::int64_t count = 0;
  std::memcpy(&count, reading.data(), reading.size());
  return Clock::time_point(Nanoseconds(count));
}

}  // namespace

JobClock::JobClock(Peers& peers, JobClockOptions options)
    : peers_(peers), options_(std::move(options)), lines_(static_cast<std::size_t>(peers.world())) {
  assert(options_.round_trips > 0);
}

std::optional<Error> JobClock::measure() {
  if (peers_.rank() != Rank{0}) return answer();
  for (int rank = 1; rank < peers_.world(); ++rank)
    if (auto failed = ask(Rank{rank})) return failed;
  return std::nullopt;
}

std::optional<Error> JobClock::ask(Rank rank) {
  std::vector<RoundTrip> trips(static_cast<std::size_t>(options_.round_trips));
  for (RoundTrip& trip : trips) {
    Reading reading;
    trip.sent = options_.now();
    if (auto failed = peers_.ask(rank, {question, reply, reading})) return failed;
    trip.received = options_.now();
    trip.answered = time_of(reading);
  }
  lines_[rank.index()].add(shortest(trips));
  return std::nullopt;
}

std::optional<Error> JobClock::answer() {
  for (int trip = 0; trip < options_.round_trips; ++trip) {
    if (auto failed = peers_.take(Rank{0}, question, {})) return failed;
    const Reading reading = bytes_of(options_.now());
    if (auto failed = peers_.give(Rank{0}, reply, reading)) return failed;
  }
  return std::nullopt;
}

Clock::time_point JobClock::on_rank_0(Rank rank, Clock::time_point theirs) const {
  return lines_[rank.index()].on_rank_0(theirs);
}

Nanoseconds JobClock::bound() const {
  std::vector<Nanoseconds> bounds;
  for (const ClockLine& line : lines_) bounds.push_back(line.bound());
  std::sort(bounds.rbegin(), bounds.rend());
  return bounds.size() < 2 ? Nanoseconds{} : bounds[0] + bounds[1];
}

}  // namespace quintet::engine
