// One clock for a job: rank 0 learns how every rank's steady clock stands against its own.
#pragma once

#include <functional>

#include "engine/clock/clock_line.h"
#include "engine/transport/transport.h"

namespace quintet::engine {

struct JobClockOptions {
  int round_trips = 50;  // per rank and measurement; some 5 ms over TCP
  Milliseconds within{60000};
  std::function<Clock::time_point()> now = Clock::now;  // a test has clocks that run wrong
};

class JobClock {
 public:
  // The transport must outlive it.
  explicit JobClock(Transport& transport, JobClockOptions options = {});

  // All ranks together, when they have nothing else to do. Before the steps that are to be put on
  // one clock and after them: so drift is accounted for.
  std::optional<Error> measure();

  // Rank 0 alone.
  Clock::time_point on_rank_0(Rank rank, Clock::time_point theirs) const;
  // Times of two ranks are at most so far from their true distance.
  Nanoseconds bound() const;

  Transport& transport() const { return transport_; }
  const JobClockOptions& options() const { return options_; }

 private:
  std::optional<Error> ask(Rank rank);
  std::optional<Error> answer();

  Transport& transport_;
  JobClockOptions options_;
  std::vector<ClockLine> lines_;  // rank 0: of every rank
};

}  // namespace quintet::engine
