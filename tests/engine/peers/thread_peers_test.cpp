#include "engine/peers/thread_peers.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace quintet::engine {
namespace {

template <std::size_t size>
std::array<std::byte, size> filled(int value) {
  std::array<std::byte, size> bytes;
  bytes.fill(static_cast<std::byte>(value));
  return bytes;
}

TEST(ThreadPeers, BytesKeepTheirOrderAndTheirLabels) {
  ThreadPeers peers(2);
  Peers &first = peers.rank(Rank{0}), &second = peers.rank(Rank{1});
  EXPECT_EQ(second.rank(), Rank{1});
  EXPECT_EQ(second.world(), 2);
  for (const int value : {1, 2}) EXPECT_FALSE(first.give(Rank{1}, 7, filled<4>(value)));
  EXPECT_FALSE(first.give(Rank{1}, 8, filled<4>(3)));
  std::array<std::byte, 4> taken{};
  for (const auto& [label, value] : {std::pair{8, 3}, std::pair{7, 1}, std::pair{7, 2}}) {
    EXPECT_FALSE(second.take(Rank{0}, static_cast<std::uint64_t>(label), taken));
    EXPECT_EQ(taken, filled<4>(value));
  }
}

TEST(ThreadPeers, AQuestionIsAnswered) {
  ThreadPeers peers(2);
  std::thread answering([&] {
    EXPECT_FALSE(peers.rank(Rank{1}).take(Rank{0}, 1, {}));
    EXPECT_FALSE(peers.rank(Rank{1}).give(Rank{0}, 2, filled<8>(9)));
  });
  std::array<std::byte, 8> reply{};
  EXPECT_FALSE(peers.rank(Rank{0}).ask(Rank{1}, {1, 2, reply}));
  EXPECT_EQ(reply, filled<8>(9));
  answering.join();
}

TEST(ThreadPeers, WhoExpectsAnotherSizeIsTold) {
  ThreadPeers peers(2);
  EXPECT_FALSE(peers.rank(Rank{0}).give(Rank{1}, 1, filled<4>(1)));
  std::array<std::byte, 8> taken{};
  EXPECT_EQ(peers.rank(Rank{1}).take(Rank{0}, 1, taken),
            (Error{"rank 0", "gave 4 bytes to rank 1, which expected 8"}));
}

TEST(ThreadPeers, ExchangedIsEveryRanksOnEveryRank) {
  constexpr int ranks = 5;
  ThreadPeers peers(ranks);
  std::vector<std::vector<int>> found(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const auto all = exchanged(peers.rank(Rank{rank}), 20, rank * rank);
      ASSERT_TRUE(all) << all.error().text();
      found[static_cast<std::size_t>(rank)] = *all;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, std::vector(ranks, (std::vector<int>{0, 1, 4, 9, 16})));
}

// The first failure is everybody's, of those that wait and of those that come later.
TEST(ThreadPeers, AFailureEndsAllThatWait) {
  ThreadPeers peers(3);
  std::vector<Error> ended;
  peers.on_failure([&](const Error& cause) { ended.push_back(cause); });
  std::thread waiting([&] {
    std::array<std::byte, 4> taken{};
    EXPECT_EQ(peers.rank(Rank{0}).take(Rank{2}, 1, taken), (Error{"rank 2", "no disk"}));
    const auto text = peers.rank(Rank{0}).receive_text(Rank{2}, Patience::until_one_is_over);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error(), (Error{"rank 2", "no disk"}));
  });
  peers.rank(Rank{2}).abort("no disk");
  peers.rank(Rank{1}).abort("too late");
  waiting.join();
  EXPECT_EQ(peers.rank(Rank{0}).failure(), (Error{"rank 2", "no disk"}));
  EXPECT_EQ(peers.rank(Rank{1}).give(Rank{0}, 1, {}), (Error{"rank 2", "no disk"}));
  EXPECT_EQ(ended, (std::vector<Error>{{"rank 2", "no disk"}}));
}

}  // namespace
}  // namespace quintet::engine
