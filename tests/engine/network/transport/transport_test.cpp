#include "engine/network/transport/transport.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <latch>
#include <numeric>
#include <thread>

#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

constexpr Milliseconds soon{20000};

std::vector<std::byte> pattern(std::size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 131 + static_cast<std::size_t>(seed) * 17) & 0xff);
  return bytes;
}

// Everyone sends everyone (itself too) one message of each size under one label, twice; they arrive
// whole and in order.
void exchange_everything(Transport& transport) {
  const std::vector<std::size_t> sizes{0, 1, 1000, 300001, 3000001};
  for (const std::size_t size : sizes) {
    std::vector<Operation> operations;
    std::vector<std::vector<std::byte>> sent,
        arrived(static_cast<std::size_t>(transport.world()) * 2, std::vector<std::byte>(size));
    for (int again = 0; again < 2; ++again)
      sent.push_back(pattern(size, transport.rank().value * 2 + again));
    for (int peer = 0; peer < transport.world(); ++peer)
      for (std::size_t again = 0; again < 2; ++again) {
        operations.push_back(transport.receive(
            Rank{peer}, 7, arrived[static_cast<std::size_t>(peer) * 2 + again], soon));
        operations.push_back(transport.send(Rank{peer}, 7, sent[again], soon));
      }
    for (Operation& operation : operations) EXPECT_EQ(operation.wait(), std::nullopt);
    for (int i = 0; i < transport.world() * 2; ++i)
      EXPECT_EQ(arrived[static_cast<std::size_t>(i)], pattern(size, i)) << size << " bytes";
  }
}

TEST(Transport, MovesBytesBetweenAllRanksOverTcp) {
  EXPECT_EQ(run_job({4, SharedMemory::refuse, {}}, exchange_everything), "");
}

// As over InfiniBand, which is not here.
TEST(Transport, MovesBytesBetweenAllRanksThroughUcx) {
  LocalJob job{3, SharedMemory::use, {}};
  job.carrier = CarrierChoice::ucx;
  EXPECT_EQ(run_job(job, exchange_everything), "");
}

TEST(Transport, ARankAloneIsAJobToo) {
  EXPECT_EQ(run_job({1, SharedMemory::refuse, {}}, exchange_everything), "");
}

// Rank 2 never sends: the failure names it, on the rank that waited and on those that did not.
TEST(Transport, ADeadlineNamesTheRankThatWasWaitedFor) {
  std::latch everyone(3);
  const auto body = [&](Transport& transport) {
    std::vector<std::byte> buffer(10);
    if (transport.rank() == Rank{0}) {
      Operation waiting = transport.receive(Rank{2}, 1, buffer, Milliseconds(200));
      EXPECT_EQ(waiting.wait(),
                (Failure{Rank{2}, "it did not send a message of 10 bytes before the deadline"}));
    } else {
      Operation waiting = transport.receive(Rank{0}, 1, buffer, soon);
      const auto failure = waiting.wait();
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->rank, Rank{2});
    }
    everyone.arrive_and_wait();
  };
  EXPECT_EQ(run_job({3, SharedMemory::refuse, {}}, body), "");
}

// Rank 0 waits for 1, which waits for 2, which does nothing: both deadlines pass, 2 is named.
TEST(Transport, OfRanksThatWaitForEachOtherTheLastIsNamed) {
  std::latch everyone(3);
  const auto body = [&](Transport& transport) {
    std::vector<std::byte> buffer(10);
    if (transport.rank() != Rank{2}) {
      const Rank next{transport.rank().value + 1};
      const Milliseconds within(transport.rank() == Rank{0} ? 100 : 250);
      const auto failure = transport.receive(next, 1, buffer, within).wait();
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->rank, Rank{2});
    }
    everyone.arrive_and_wait();
  };
  EXPECT_EQ(run_job({3, SharedMemory::refuse, {}}, body), "");
}

TEST(Transport, AnAbortEndsWhatIsUnderWayEverywhere) {
  const auto body = [&](Transport& transport) {
    const Failure expected{Rank{1}, "loss is not a number"};
    std::vector<std::byte> buffer(1 << 20), other(1 << 20);
    Operation receiving = transport.receive(Rank{2}, 1, buffer, soon);
    Operation sending = transport.send(Rank{2}, 5, other, soon);  // nobody takes it
    if (transport.rank() == Rank{1}) transport.abort("loss is not a number");
    EXPECT_EQ(receiving.wait(), expected);
    EXPECT_EQ(sending.wait(), expected);
    EXPECT_EQ(transport.failure(), expected);
    EXPECT_EQ(transport.send(Rank{0}, 9, other, soon).wait(), expected) << "after the failure";
    EXPECT_EQ(transport.close(soon), expected);
  };
  EXPECT_EQ(run_job({4, SharedMemory::refuse, {}}, body), "");
}

// Whether it comes before it is asked for, or after.
TEST(Transport, AMessageOfAnotherSizeThanExpectedIsAFailure) {
  for (const Milliseconds late : {Milliseconds(0), Milliseconds(100)}) {
    const auto body = [&](Transport& transport) {
      const bool receives = transport.rank() == Rank{0};
      std::vector<std::byte> buffer(receives ? 8 : 5);
      if (receives) std::this_thread::sleep_for(late);
      const auto failure = receives ? transport.receive(Rank{1}, 1, buffer, soon).wait()
                                    : transport.send(Rank{0}, 1, buffer, soon).wait();
      if (receives) {
        ASSERT_TRUE(failure.has_value());
        EXPECT_EQ(failure->rank, Rank{1});
      }
    };
    EXPECT_EQ(run_job({2, SharedMemory::refuse, {}}, body), "");
  }
}

TEST(Transport, ClosesCleanlyWhenEveryoneDoes) {
  const auto body = [](Transport& transport) { EXPECT_EQ(transport.close(soon), std::nullopt); };
  EXPECT_EQ(run_job({5, SharedMemory::refuse, {}}, body), "");
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Two ranks that wait for a message for a second: a thread that spun would use that second whole.
TEST(Transport, SleepsWhileItWaits) {
  std::latch joined(2), measured(2);
  const auto body = [&](Transport& transport) {
    std::vector<std::byte> buffer(10);
    const Rank other{1 - transport.rank().value};
    Operation waiting = transport.receive(other, 1, buffer, soon);
    joined.arrive_and_wait();
    const double before = processor_seconds();
    std::this_thread::sleep_for(Milliseconds(1000));
    if (transport.rank() == Rank{0}) {
      EXPECT_LT(processor_seconds() - before, 0.2);
    }
    measured.arrive_and_wait();
    EXPECT_EQ(transport.send(other, 1, buffer, soon).wait(), std::nullopt);
    EXPECT_EQ(waiting.wait(), std::nullopt);
  };
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}}, body), "");
}

TEST(Transport, RefusesWhatCannotBe) {
  LocalJob job{2, SharedMemory::refuse, {}};
  const SocketAddress nowhere{"127.0.0.1", 1};
  TransportOptions options = options_for(nowhere, 2, job);
  EXPECT_EQ(Transport::join(options).error().text(), "transport: rank 2 of 2 ranks");
  options = options_for(nowhere, 0, job);
  for (const char* name : {"", "nonsuch0"}) {  // no interface is none that ranks may choose
    options.ucx.interface = name;
    EXPECT_EQ(Transport::join(options).error().text(),
              "transport: no network interface is called \"" + std::string(name) +
                  "\"; expected one that `ip link` lists");
  }
}

}  // namespace
}  // namespace quintet::engine
