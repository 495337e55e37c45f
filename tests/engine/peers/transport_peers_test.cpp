#include "engine/peers/transport_peers.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/peers/peers.h"
#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

const LocalJob three_ranks{3, SharedMemory::refuse, {}};

TEST(TransportPeers, TextsArriveWholeAndInTheirOrder) {
  EXPECT_EQ(
      run_job(
          three_ranks,
          [](Transport& transport) {
            TransportPeers peers(transport);
            const int mine = peers.rank().value;
            const Rank next{(mine + 1) % 3}, before{(mine + 2) % 3};
            const std::string longest(Peers::longest_text, 'x');
            for (const std::string& text : {std::to_string(mine), longest, std::string()})
              peers.send_text(next, text);
            for (const std::string& text : {std::to_string(before.value), longest, std::string()}) {
              const auto got = peers.receive_text(before, Patience::until_one_is_over);
              ASSERT_TRUE(got) << got.error().text();
              EXPECT_EQ(*got, text);
            }
          }),
      "");
}

TEST(TransportPeers, WithoutPatienceNobodyWaits) {
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}},
                    [](Transport& transport) {
                      TransportPeers peers(transport);
                      const Rank other{1 - peers.rank().value};
                      if (other.value == 0) {  // asked before anything is sent
                        EXPECT_EQ(*peers.receive_text(other, Patience::none), std::nullopt);
                        peers.send_text(other, "asked");
                      } else {
                        EXPECT_EQ(*peers.receive_text(other, Patience::until_one_is_over), "asked");
                        peers.send_text(other, "answered");
                      }
                      if (other.value != 0) return;
                      auto got = peers.receive_text(other, Patience::none);
                      while (got && !*got) {
                        std::this_thread::yield();
                        got = peers.receive_text(other, Patience::none);
                      }
                      EXPECT_EQ(*got, "answered");
                    }),
            "");
}

// Rank 2's error, on every rank, with its number.
TEST(TransportPeers, AgreeOnTheFirstError) {
  EXPECT_EQ(run_job(three_ranks,
                    [](Transport& transport) {
                      TransportPeers peers(transport);
                      EXPECT_EQ(agreed(peers, std::nullopt), std::nullopt);
                      std::optional<Error> mine;
                      if (peers.rank().value == 2) mine = Error{"/file", "is full:\nso"};
                      EXPECT_EQ(agreed(peers, mine), (Error{"rank 2: /file", "is full:\nso"}));
                    }),
            "");
}

TEST(TransportPeers, TellWhichRankFailed) {
  EXPECT_EQ(run_job(three_ranks,
                    [](Transport& transport) {
                      TransportPeers peers(transport);
                      if (peers.rank().value == 1) return transport.abort("its disk is full");
                      const auto got = peers.receive_text(Rank{1}, Patience::until_one_is_over);
                      ASSERT_FALSE(got);
                      EXPECT_EQ(got.error().text(), "rank 1: its disk is full");
                    }),
            "");
}

}  // namespace
}  // namespace quintet::engine
