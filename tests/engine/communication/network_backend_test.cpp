// Meeting by use, failures, and what `finished` promises: two to four ranks of one process over the
// loopback interface.
#include "engine/communication/network_backend.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "engine/files/storage/half_floats.h"
#include "tests/support/local_job.h"
#include "tests/support/one_collective.h"

namespace quintet::engine {
namespace {

// Tensor pairs 0-1 and 2-3, data pairs 0-2 and 1-3, or all in one group.
Program pairs() {
  Program program;
  program.grid.axes = {{Axis::tensor, 2}, {Axis::data, 2}};
  program.communicators = {{"tensor", {{Axis::tensor}}, {}}, {"data", {{Axis::data}}, {}}};
  return program;
}

using Floats = std::vector<float>;

CollectiveCall work(CommunicatorId communicator, std::uint64_t use, Floats& buffer,
                    CollectiveKind kind = CollectiveKind::all_reduce) {
  CollectiveCall made;
  made.kind = kind;
  made.communicator = communicator;
  made.use = use;
  made.buffer = std::as_writable_bytes(std::span(buffer));
  return made;
}

std::optional<Error> wait_for(CommunicationBackend& backend, std::vector<Ticket> tickets) {
  while (!tickets.empty()) {
    const auto over = backend.finished(tickets, Patience::until_one_is_over);
    if (!over) return over.error();
    EXPECT_FALSE(over->empty());
    for (auto each = over->rbegin(); each != over->rend(); ++each) {
      EXPECT_LE(each->moving, each->end);
      EXPECT_LE(each->end, Clock::now());
      tickets.erase(tickets.begin() + static_cast<std::ptrdiff_t>(each->place));
    }
  }
  return std::nullopt;
}

void run(const Program& program, int ranks,
         const std::function<void(CommunicationBackend&, Transport&)>& body,
         Milliseconds within = Milliseconds(20000)) {
  EXPECT_EQ(run_job({ranks, SharedMemory::refuse, {}},
                    [&](Transport& transport) {
                      const auto made = NetworkBackend::make(program, {}, transport, {within, {}});
                      ASSERT_TRUE(made.has_value()) << made.error().text();
                      body(**made, transport);
                    }),
            "");
}

constexpr std::size_t elements = 100000;  // two segments

float value(int rank, std::uint64_t use) {
  return static_cast<float>(rank + 1) * static_cast<float>(use % 97 + 1);
}

// Eight uses on two communicators at once; even ranks start them forwards, odd ones backwards.
TEST(NetworkBackend, CollectivesMeetByTheirUse) {
  run(pairs(), 4, [](CommunicationBackend& backend, Transport& transport) {
    const int rank = transport.rank().value;
    constexpr std::uint64_t uses = 8;
    std::vector<Floats> buffers;
    for (std::uint64_t i = 0; i < 2 * uses; ++i) buffers.emplace_back(elements, value(rank, i));
    std::vector<Ticket> tickets;
    for (std::uint64_t i = 0; i < 2 * uses; ++i) {
      const std::uint64_t which = rank % 2 == 0 ? i : 2 * uses - 1 - i;
      tickets.push_back(
          backend.start(work(CommunicatorId{which < uses ? 0 : 1}, which % uses, buffers[which])));
    }
    ASSERT_EQ(wait_for(backend, tickets), std::nullopt);
    for (std::uint64_t i = 0; i < 2 * uses; ++i) {
      const int other = i < uses ? rank ^ 1 : rank ^ 2;
      ASSERT_EQ(buffers[i], Floats(elements, value(rank, i) + value(other, i))) << i;
    }
  });
}

// Tags count uses modulo 4,096: 4,090 ... 4,101 go over that, in another order on each rank, with
// gathers and sums of one communicator under way together.
TEST(NetworkBackend, UsesGoOnPastTheEndOfTheTags) {
  run(test::one_group(2), 2, [](CommunicationBackend& backend, Transport& transport) {
    const int rank = transport.rank().value;
    const std::vector<std::uint64_t> uses{4090, 4091, 4095, 4096, 4097, 4100, 4101};
    std::vector<Floats> buffers;
    for (const std::uint64_t use : uses) buffers.emplace_back(2 * elements, value(rank, use));
    std::vector<Ticket> tickets;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const std::size_t which = rank == 0 ? i : uses.size() - 1 - i;
      tickets.push_back(backend.start(
          work(CommunicatorId{0}, uses[which], buffers[which],
               which % 2 == 0 ? CollectiveKind::all_reduce : CollectiveKind::all_gather)));
    }
    ASSERT_EQ(wait_for(backend, tickets), std::nullopt);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const float mine = value(rank, uses[i]), other = value(1 - rank, uses[i]);
      Floats expected(2 * elements, mine + other);
      if (i % 2 == 1) {
        std::fill_n(expected.begin(), elements, rank == 0 ? mine : other);
        std::fill(expected.begin() + elements, expected.end(), rank == 0 ? other : mine);
      }
      ASSERT_EQ(buffers[i], expected) << uses[i];
    }
  });
}

TEST(NetworkBackend, MaximaAndSixteenBitSums) {
  run(test::one_group(4), 4, [](CommunicationBackend& backend, Transport& transport) {
    const auto rank = static_cast<float>(transport.rank().value);
    Floats buffer{rank, -rank, 2 - rank, 7};
    CollectiveCall maximum = work(CommunicatorId{0}, 0, buffer);
    maximum.reduction = Reduction::maximum;
    ASSERT_EQ(wait_for(backend, {backend.start(maximum)}), std::nullopt);
    EXPECT_EQ(buffer, (Floats{3, 0, 2, 7}));
    std::vector<std::uint16_t> halves(8, bf16_of(rank + 1));
    CollectiveCall sum = work(CommunicatorId{0}, 1, buffer);
    sum.buffer = std::as_writable_bytes(std::span(halves));
    sum.type = DataType::bf16;
    ASSERT_EQ(wait_for(backend, {backend.start(sum)}), std::nullopt);
    EXPECT_EQ(halves, std::vector<std::uint16_t>(8, bf16_of(10)));  // 1 + 2 + 3 + 4
  });
}

// Receives are posted before, between and after the sends; the tag is the walker's largest.
TEST(NetworkBackend, MessagesOfOneTagArriveInOrder) {
  run(test::one_group(2), 2, [](CommunicationBackend& backend, Transport& transport) {
    constexpr std::uint64_t tag = (std::uint64_t{1} << 48) - 1;
    const Rank other{1 - transport.rank().value};
    constexpr int count = 20;
    std::vector<Floats> out, in(count, Floats(elements));
    for (int i = 0; i < count; ++i) out.emplace_back(elements, static_cast<float>(i));
    std::vector<Ticket> tickets;
    for (std::size_t i = 0; i < count; ++i) {
      const auto receive = [&] {
        tickets.push_back(backend.receive({.from = other,
                                           .payload = Payload::activation_gradient,
                                           .tag = tag,
                                           .message = std::as_writable_bytes(std::span(in[i]))}));
      };
      if (i % 3 == 0) receive();
      tickets.push_back(backend.send({.to = other,
                                      .payload = Payload::activation_gradient,
                                      .tag = tag,
                                      .message = std::as_bytes(std::span(out[i]))}));
      if (i % 3 != 0) receive();
    }
    ASSERT_EQ(wait_for(backend, tickets), std::nullopt);
    EXPECT_EQ(in, out);
  });
}

// A transport's own labels, whatever they are, never meet the executor's tags.
TEST(NetworkBackend, MessagesAndLabelsAreApart) {
  run(test::one_group(2), 2, [](CommunicationBackend& backend, Transport& transport) {
    const Rank other{1 - transport.rank().value};
    Floats by_tag(1), by_label(1);
    const Floats tagged{1}, labelled{2};
    std::vector<Ticket> tickets{backend.receive(
        {.from = other, .tag = 5, .message = std::as_writable_bytes(std::span(by_tag))})};
    Operation receive = transport.receive(other, 5, std::as_writable_bytes(std::span(by_label)),
                                          Milliseconds(9000));
    Operation send =
        transport.send(other, 5, std::as_bytes(std::span(labelled)), Milliseconds(9000));
    tickets.push_back(
        backend.send({.to = other, .tag = 5, .message = std::as_bytes(std::span(tagged))}));
    ASSERT_EQ(wait_for(backend, tickets), std::nullopt);
    ASSERT_EQ(receive.wait(), std::nullopt);
    ASSERT_EQ(send.wait(), std::nullopt);
    EXPECT_EQ(by_tag, tagged);
    EXPECT_EQ(by_label, labelled);
  });
}

double thread_seconds() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Rank 1 comes late: rank 0 sleeps meanwhile, and Patience::none says at once that nothing is over.
TEST(NetworkBackend, WaitingTakesNoProcessor) {
  run(test::one_group(2), 2, [](CommunicationBackend& backend, Transport& transport) {
    Floats buffer(elements, 1);
    if (transport.rank() == Rank{1}) {
      std::this_thread::sleep_for(Milliseconds(400));
      const Ticket ticket = backend.start(work(CommunicatorId{0}, 0, buffer));
      ASSERT_EQ(wait_for(backend, {ticket}), std::nullopt);
      return;
    }
    const std::vector tickets{backend.start(work(CommunicatorId{0}, 0, buffer))};
    const auto nothing = backend.finished(tickets, Patience::none);
    ASSERT_TRUE(nothing.has_value());
    EXPECT_TRUE(nothing->empty());
    const double before = thread_seconds();
    const auto over = backend.finished(tickets, Patience::until_one_is_over);
    EXPECT_LT(thread_seconds() - before, 0.1);
    ASSERT_TRUE(over.has_value() && over->size() == 1);
    EXPECT_EQ(buffer, Floats(elements, 2));
  });
}

// Rank 0 starts the second collective when the first is over; rank 1 asks about the second first.
TEST(NetworkBackend, EndsAreThoseOfTheCollectiveNotOfTheQuestion) {
  run(test::one_group(2), 2, [](CommunicationBackend& backend, Transport& transport) {
    Floats first(elements, 1), second(elements, 1);
    const bool asks_late = transport.rank() == Rank{1};
    const std::vector one{backend.start(work(CommunicatorId{0}, 0, first))};
    if (!asks_late) {
      ASSERT_EQ(wait_for(backend, one), std::nullopt);
    }
    const std::vector other{backend.start(work(CommunicatorId{0}, 1, second))};
    const auto later = backend.finished(other, Patience::until_one_is_over);
    ASSERT_TRUE(later.has_value() && later->size() == 1);
    if (!asks_late) return;
    const auto sooner = backend.finished(one, Patience::until_one_is_over);
    ASSERT_TRUE(sooner.has_value() && sooner->size() == 1);
    EXPECT_LE(sooner->front().end, later->front().end);
  });
}

// --- failures

TEST(NetworkBackend, AnAbortReachesEveryRank) {
  run(test::one_group(4), 4, [](CommunicationBackend& backend, Transport& transport) {
    const Error expected{"rank 2", "step 7: out of memory"};
    Floats buffer(elements, 1);
    if (transport.rank() == Rank{2}) {
      backend.abort({"step 7", "out of memory"});
      const auto later = backend.finished({}, Patience::none);
      ASSERT_FALSE(later.has_value());
      EXPECT_EQ(later.error(), expected);
      return;
    }
    EXPECT_EQ(wait_for(backend, {backend.start(work(CommunicatorId{0}, 1, buffer))}), expected);
    // It holds for all that comes after.
    EXPECT_EQ(wait_for(backend, {backend.start(work(CommunicatorId{0}, 2, buffer))}), expected);
  });
}

// Rank 1 starts another kind's use: nobody sends what rank 0 waits for.
TEST(NetworkBackend, AMissedDeadlineNamesTheRankAndTheCollective) {
  run(
      test::one_group(2), 2,
      [](CommunicationBackend& backend, Transport& transport) {
        if (transport.rank() == Rank{1}) {
          while (!transport.failure()) std::this_thread::sleep_for(Milliseconds(5));
          return;
        }
        Floats buffer(elements, 1);
        EXPECT_EQ(wait_for(backend, {backend.start(work(CommunicatorId{0}, 3, buffer))}),
                  (Error{"rank 1",
                         "it did not send step 0 of all-reduce 4 of group \"data\" before the "
                         "deadline"}));
      },
      Milliseconds(300));
}

TEST(NetworkBackend, WhatCannotBeStartedEndsTheJobEverywhere) {
  run(test::one_group(2), 2, [](CommunicationBackend& backend, Transport& transport) {
    Floats buffer(8, 1);
    const bool wrong = transport.rank() == Rank{0};
    const Ticket ticket =
        backend.start(work(CommunicatorId{0}, 0, buffer,
                           wrong ? CollectiveKind::all_to_all : CollectiveKind::all_reduce));
    EXPECT_EQ(wait_for(backend, {ticket}),
              (Error{"rank 0", "communicator \"data\": all-to-all is not executed"}));
  });
}

TEST(NetworkBackend, AProgramForOtherRanksIsRefused) {
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}},
                    [](Transport& transport) {
                      const auto made = NetworkBackend::make(test::one_group(3), {}, transport);
                      ASSERT_FALSE(made.has_value());
                      EXPECT_EQ(made.error(), (Error{"program", "is for 3 ranks; the job has 2"}));
                    }),
            "");
}

}  // namespace
}  // namespace quintet::engine
