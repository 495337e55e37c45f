// Tickets of several threads, and the failure that ends it for all.
#include "engine/communication/ticket_board.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace quintet::engine {
namespace {

constexpr Patience patient = Patience::until_one_is_over;

Clock::time_point at(int second) {
  return Clock::time_point{std::chrono::seconds{second}};
}

Ticket unfinished(TicketBoard& board) {
  return board.begin([](Ticket) {});
}

Ticket finished(TicketBoard& board, int moving = 0, int end = 0) {
  return board.begin([&](Ticket ticket) { board.end(ticket, at(moving), at(end)); });
}

std::vector<std::size_t> places_over(TicketBoard& board, std::span<const Ticket> tickets) {
  std::vector<std::size_t> places;
  const auto over = board.finished(tickets, Patience::none);
  EXPECT_TRUE(over);
  for (const Completion& each : *over) places.push_back(each.place);
  return places;
}

TEST(TicketBoard, NoTwoTicketsAreTheSame) {
  TicketBoard board;
  const Ticket first = unfinished(board);
  EXPECT_NE(unfinished(board).number, first.number);
}

TEST(TicketBoard, TellsPlacesInTheListThatItIsAskedAbout) {
  TicketBoard board;
  const std::array asked{finished(board), unfinished(board), finished(board)};
  EXPECT_EQ(places_over(board, asked), (std::vector<std::size_t>{0, 2}));
}

TEST(TicketBoard, TellsOnceThatATicketIsOver) {
  TicketBoard board;
  const std::array asked{finished(board)};
  EXPECT_EQ(places_over(board, asked), std::vector<std::size_t>{0});
  EXPECT_EQ(places_over(board, asked), std::vector<std::size_t>{});
}

TEST(TicketBoard, KeepsTheTimesItWasTold) {
  TicketBoard board;
  const std::array asked{finished(board, 3, 5)};
  const auto over = board.finished(asked, patient);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->front().moving, at(3));
  EXPECT_EQ(over->front().end, at(5));
}

TEST(TicketBoard, WhoeverHasPatienceIsWokenByAnotherThread) {
  TicketBoard board;
  const std::array mine{unfinished(board)};
  std::thread other([&] { board.begin([&](Ticket) { board.end(mine[0], at(0), at(0)); }); });
  const auto over = board.finished(mine, patient);
  other.join();
  ASSERT_TRUE(over);
  EXPECT_EQ(over->size(), 1U);
}

TEST(TicketBoard, AFailureWakesWhoeverWaitsAndTheFirstOneStays) {
  TicketBoard board;
  const std::array mine{unfinished(board)};
  std::thread other([&] {
    board.begin([&](Ticket) { board.fail({"rank 1", "ran out of disk"}); });
    board.abort({"rank 2", "heard of it"});
  });
  const auto over = board.finished(mine, patient);
  other.join();
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error(), (Error{"rank 1", "ran out of disk"}));
  EXPECT_EQ(board.finished({}, Patience::none).error(), (Error{"rank 1", "ran out of disk"}));
}

TEST(TicketBoard, NothingBeginsAfterAFailure) {
  TicketBoard board;
  board.abort({"rank 1", "ran out of disk"});
  bool begun = false;
  board.begin([&](Ticket) { begun = true; });
  EXPECT_FALSE(begun);
}

// Four threads meet 1,000 times: the last to come ends all four tickets. What they share beside the
// board (`waiting`, `meetings`) has no lock but the board's.
TEST(TicketBoard, ItsLockServesWhatIsSharedBesideIt) {
  constexpr int threads = 4, rounds = 1000;
  TicketBoard board;
  std::vector<Ticket> waiting;
  int meetings = 0;
  const auto meet = [&](Ticket ticket) {
    waiting.push_back(ticket);
    if (waiting.size() < threads) return;
    ++meetings;
    for (const Ticket each : waiting) board.end(each, at(0), at(0));
    waiting.clear();
  };
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        const std::array mine{board.begin(meet)};
        ASSERT_TRUE(board.finished(mine, patient));
      }
    });
  for (std::thread& each : running) each.join();
  EXPECT_EQ(meetings, rounds);
}

}  // namespace
}  // namespace quintet::engine
