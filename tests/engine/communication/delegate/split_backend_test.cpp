#include "engine/communication/delegate/split_backend.h"

#include <gtest/gtest.h>

#include "engine/communication/local_world.h"
#include "tests/support/one_collective.h"

namespace quintet::engine {
namespace {

// Two ranks, two worlds.
class Split : public testing::Test {
 protected:
  Program program_ = test::one_group(2);
  LocalWorld collectives_{program_}, messages_{program_};
  SplitBackend zero_{collectives_.rank(Rank{0}), messages_.rank(Rank{0})};
  SplitBackend one_{collectives_.rank(Rank{1}), messages_.rank(Rank{1})};
  float sum_[2] = {1, 2}, in_ = 0;
  const float out_ = 7;

  CollectiveCall sum(int which) {
    return {.communicator = CommunicatorId{0},
            .buffer = std::as_writable_bytes(std::span(&sum_[which], 1))};
  }
};

TEST_F(Split, TicketsKeepTheirPlacesWhicheverWayTheyWent) {
  const Ticket receive =
      one_.receive({.from = Rank{0}, .message = std::as_writable_bytes(std::span(&in_, 1))});
  const std::vector<Ticket> tickets{receive, one_.start(sum(1))};
  const auto nothing = one_.finished(tickets, Patience::none);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->empty());
  zero_.start(sum(0));
  const auto first = one_.finished(tickets, Patience::until_one_is_over);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 1U);
  EXPECT_EQ(first->front().place, 1U);
  EXPECT_EQ(sum_[1], 3);
  zero_.send({.to = Rank{1}, .message = std::as_bytes(std::span(&out_, 1))});
  const auto second = one_.finished(std::span(tickets).first(1), Patience::until_one_is_over);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->front().place, 0U);
  EXPECT_EQ(in_, 7);
}

TEST_F(Split, AFailureOfOneWayEndsTheOther) {
  collectives_.rank(Rank{0}).abort({"rank 0", "is gone"});
  const auto over = one_.finished({}, Patience::none);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error(), (Error{"rank 0", "is gone"}));
  EXPECT_FALSE(messages_.rank(Rank{0}).finished({}, Patience::none));
}

TEST_F(Split, AnAbortEndsBoth) {
  zero_.abort({"rank 0", "is gone"});
  EXPECT_FALSE(collectives_.rank(Rank{1}).finished({}, Patience::none));
  EXPECT_FALSE(messages_.rank(Rank{1}).finished({}, Patience::none));
}

}  // namespace
}  // namespace quintet::engine
