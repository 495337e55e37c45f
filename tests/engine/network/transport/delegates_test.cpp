// Messages by delegates: threads of their own for each kind, direction and number.
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <thread>

#include "engine/network/transport/direct_move.h"
#include "tests/support/local_job.h"
#include "tests/support/strangers.h"

namespace quintet::engine {
namespace {

constexpr Milliseconds in_time{30000};

LocalJob with_delegates(std::size_t delegates) {
  LocalJob job;
  job.delegates = delegates;
  return job;
}

Operation given(Transport& transport, DelegateKind kind, std::uint64_t number, Rank to,
                std::span<const std::byte> bytes) {
  return transport.start_delegated(
      DelegateDirection::out, kind, number, to,
      std::make_unique<DirectMove>(to, message_tag(transport.rank(), number), bytes), in_time);
}

Operation taken(Transport& transport, DelegateKind kind, std::uint64_t number, Rank from,
                std::span<std::byte> bytes, Milliseconds within = in_time) {
  return transport.start_delegated(
      DelegateDirection::in, kind, number, from,
      std::make_unique<DirectMove>(from, message_tag(from, number), bytes), within);
}

constexpr std::uint64_t messages = 12;

std::vector<std::byte> message_of(Rank sender, DelegateKind kind, std::uint64_t number) {
  const std::size_t sizes[] = {0, 1000, 100'000, 2'500'000};
  const auto seed = static_cast<unsigned>(number) * 8 + static_cast<unsigned>(kind) * 4 +
                    static_cast<unsigned>(sender.value);
  return garbage(sizes[number % 4], seed);
}

// Around a ring of three, forward and backward, and each to itself: all under way at once, asked
// for last first.
void pass_around(Transport& transport) {
  constexpr int world = 3;
  const Rank next{(transport.rank().value + 1) % world};
  const Rank before{(transport.rank().value + world - 1) % world};
  std::vector<std::vector<std::byte>> sent, arrived, expected;
  std::vector<Operation> operations;
  arrived.reserve(3 * messages);
  sent.reserve(3 * messages);
  const auto pass = [&](DelegateKind kind, Rank from, Rank to) {
    for (std::uint64_t number = messages; number-- > 0;) {
      expected.push_back(message_of(from, kind, number));
      arrived.emplace_back(expected.back().size());
      operations.push_back(taken(transport, kind, number, from, arrived.back()));
    }
    for (std::uint64_t number = 0; number < messages; ++number) {
      sent.push_back(message_of(transport.rank(), kind, number));
      operations.push_back(given(transport, kind, number, to, sent.back()));
    }
  };
  pass(DelegateKind::forward, before, next);
  pass(DelegateKind::backward, next, before);
  for (Operation& operation : operations) ASSERT_EQ(operation.wait(), std::nullopt);
  EXPECT_EQ(arrived, expected);
  EXPECT_EQ(transport.close(in_time), std::nullopt);
}

TEST(Delegates, CarryBothKindsBothWaysHoweverManyThereAre) {
  for (const std::size_t delegates : {0u, 1u, 2u, 5u}) {
    LocalJob job = with_delegates(delegates);
    job.ranks = 3;
    EXPECT_EQ(run_job(job, pass_around), "") << delegates;
  }
}

std::ptrdiff_t threads_now() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// Each of two kinds and two directions has as many, on each of two ranks.
TEST(Delegates, HaveThreadsOfTheirOwn) {
  std::vector<std::ptrdiff_t> counts;
  for (const std::size_t delegates : {0u, 3u}) {
    std::latch looked(2);
    const auto body = [&](Transport& transport) {
      if (transport.rank() == Rank{0}) counts.push_back(threads_now());
      looked.arrive_and_wait();
    };
    EXPECT_EQ(run_job(with_delegates(delegates), body), "");
  }
  EXPECT_EQ(counts.at(1) - counts.at(0), 2 * 2 * 3 * 2);
}

TEST(Delegates, AnAbortEndsWhatTheyWaitFor) {
  const auto body = [](Transport& transport) {
    const Failure expected{Rank{1}, "loss is not a number"};
    std::vector<std::byte> place(10);
    const Rank other{1 - transport.rank().value};
    Operation waiting = taken(transport, DelegateKind::forward, 1, other, place);
    if (transport.rank() == Rank{1}) transport.abort("loss is not a number");
    EXPECT_EQ(waiting.wait(), expected);
    EXPECT_EQ(taken(transport, DelegateKind::backward, 0, other, place).wait(), expected);
    EXPECT_EQ(transport.close(in_time), expected);
  };
  EXPECT_EQ(run_job(with_delegates(2), body), "");
}

TEST(Delegates, ADeadlineNamesTheRankThatWasWaitedFor) {
  std::latch everyone(2);
  const auto body = [&](Transport& transport) {
    std::vector<std::byte> place(10);
    if (transport.rank() == Rank{0}) {
      const Operation waiting =
          taken(transport, DelegateKind::forward, 0, Rank{1}, place, Milliseconds(200));
      while (!waiting.ended()) std::this_thread::sleep_for(Milliseconds(5));
      EXPECT_EQ(waiting.failure(),
                (Failure{Rank{1}, "it did not send a message of 10 bytes before the deadline"}));
    }
    everyone.arrive_and_wait();
  };
  EXPECT_EQ(run_job(with_delegates(2), body), "");
}

}  // namespace
}  // namespace quintet::engine
