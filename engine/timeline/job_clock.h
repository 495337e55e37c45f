// One clock for a job: rank 0 learns how every rank's steady clock stands against its own.
#pragma once

#include <functional>

#include "engine/peers/peers.h"
#include "engine/timeline/clock_line.h"

namespace quintet::engine {

struct JobClockOptions {
  int round_trips = 50;  // per rank and measurement; some 5 ms over TCP
  std::function<Clock::time_point()> now = Clock::now;  // a test has clocks that run wrong
};

class JobClock {
 public:
  // The peers must outlive it.
  explicit JobClock(Peers& peers, JobClockOptions options = {});

  // All ranks together, when they have nothing else to do. Before the steps that are to be put on
  // one clock and after them: so drift is accounted for.
  std::optional<Error> measure();

  // Rank 0 alone.
  Clock::time_point on_rank_0(Rank rank, Clock::time_point theirs) const;
  // Times of two ranks are at most so far from their true distance.
  Nanoseconds bound() const;

  Peers& peers() const { return peers_; }

 private:
  std::optional<Error> ask(Rank rank);
  std::optional<Error> answer();

  Peers& peers_;
  JobClockOptions options_;
  std::vector<ClockLine> lines_;  // rank 0: of every rank
};

}  // namespace quintet::engine
