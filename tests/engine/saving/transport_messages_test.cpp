#include "engine/peers/transport_messages.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/peers/agreement.h"
#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

const LocalJob three_ranks{3, SharedMemory::refuse, {}};

TEST(TransportMessages, ArriveWholeAndInTheirOrder) {
  EXPECT_EQ(
      run_job(
          three_ranks,
          [](Transport& transport) {
            TransportMessages messages(transport);
            const int mine = messages.rank().value;
            const Rank next{(mine + 1) % 3}, before{(mine + 2) % 3};
            const std::string longest(StateMessages::longest, 'x');
            for (const std::string& text : {std::to_string(mine), longest, std::string()})
              messages.send(next, text);
            for (const std::string& text : {std::to_string(before.value), longest, std::string()}) {
              const auto got = messages.receive(before, Patience::until_one_is_over);
              ASSERT_TRUE(got) << got.error().text();
              EXPECT_EQ(*got, text);
            }
          }),
      "");
}

TEST(TransportMessages, WithoutPatienceNobodyWaits) {
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}},
                    [](Transport& transport) {
                      TransportMessages messages(transport);
                      const Rank other{1 - messages.rank().value};
                      if (other.value == 0) {  // asked before anything is sent
                        EXPECT_EQ(*messages.receive(other, Patience::none), std::nullopt);
                        messages.send(other, "asked");
                      } else {
                        EXPECT_EQ(*messages.receive(other, Patience::until_one_is_over), "asked");
                        messages.send(other, "answered");
                      }
                      if (other.value != 0) return;
                      auto got = messages.receive(other, Patience::none);
                      while (got && !*got) {
                        std::this_thread::yield();
                        got = messages.receive(other, Patience::none);
                      }
                      EXPECT_EQ(*got, "answered");
                    }),
            "");
}

// Rank 2's error, on every rank, with its number.
TEST(TransportMessages, AgreeOnTheFirstError) {
  EXPECT_EQ(run_job(three_ranks,
                    [](Transport& transport) {
                      TransportMessages messages(transport);
                      EXPECT_EQ(agreed(messages, std::nullopt), std::nullopt);
                      std::optional<Error> mine;
                      if (messages.rank().value == 2) mine = Error{"/file", "is full:\nso"};
                      EXPECT_EQ(agreed(messages, mine), (Error{"rank 2: /file", "is full:\nso"}));
                    }),
            "");
}

TEST(TransportMessages, TellWhichRankFailed) {
  EXPECT_EQ(run_job(three_ranks,
                    [](Transport& transport) {
                      TransportMessages messages(transport);
                      if (messages.rank().value == 1) return transport.abort("its disk is full");
                      const auto got = messages.receive(Rank{1}, Patience::until_one_is_over);
                      ASSERT_FALSE(got);
                      EXPECT_EQ(got.error().text(), "rank 1: its disk is full");
                    }),
            "");
}

}  // namespace
}  // namespace quintet::engine
