// Ranks of one process have one clock: what is measured between them is wrong by as much as it is
// not zero, or not what the test has put there.
#include "engine/timeline/job_clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/peers/transport_peers.h"
#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

// Rank r's clock is r seconds ahead at `zero` and fast by r thousandths.
Clock::time_point skewed(int rank, Clock::time_point zero, Clock::time_point true_time) {
  return true_time + std::chrono::seconds(rank) + rank * (true_time - zero) / 1000;
}

JobClockOptions options_of(int rank, Clock::time_point zero) {
  JobClockOptions options;
  options.now = [rank, zero] { return skewed(rank, zero, Clock::now()); };
  return options;
}

Nanoseconds distance(Clock::time_point left, Clock::time_point right) {
  return left < right ? right - left : left - right;
}

TEST(JobClock, PutsEveryRanksTimesOnRankZerosClock) {
  const Clock::time_point zero = Clock::now();
  const std::string problem = run_job({3, SharedMemory::refuse, {}}, [&](Transport& transport) {
    TransportPeers peers(transport);
    JobClock clock(peers, options_of(transport.rank().value, zero));
    EXPECT_FALSE(clock.measure());
    const Clock::time_point between = Clock::now();
    std::this_thread::sleep_for(Milliseconds(50));
    EXPECT_FALSE(clock.measure());
    if (transport.rank() != Rank{0}) return;
    EXPECT_GT(clock.bound(), Nanoseconds(0));
    EXPECT_EQ(clock.on_rank_0(Rank{0}, between), between);
    for (int rank = 1; rank < 3; ++rank)
      EXPECT_LE(distance(clock.on_rank_0(Rank{rank}, skewed(rank, zero, between)), between),
                clock.bound())
          << "rank " << rank;
  });
  EXPECT_EQ(problem, "");
}

TEST(JobClock, ARankAloneNeedsNoMeasuring) {
  const std::string problem = run_job({1, SharedMemory::refuse, {}}, [](Transport& transport) {
    TransportPeers peers(transport);
    JobClock clock(peers);
    EXPECT_FALSE(clock.measure());
    EXPECT_EQ(clock.bound(), Nanoseconds(0));
    const Clock::time_point now = Clock::now();
    EXPECT_EQ(clock.on_rank_0(Rank{0}, now), now);
  });
  EXPECT_EQ(problem, "");
}

TEST(JobClock, SaysWhichRankDoesNotAnswer) {
  const std::string problem = run_job({2, SharedMemory::refuse, {}}, [](Transport& transport) {
    if (transport.rank() == Rank{1}) {
      while (!transport.failure()) std::this_thread::sleep_for(Milliseconds(10));
      return;
    }
    TransportPeers peers(transport, Milliseconds(300));
    const std::optional<Error> failed = JobClock(peers).measure();
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->where, "rank 1");
  });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace quintet::engine
