// Who is let in: ranks of this job, however many strangers push.
#include "engine/network/routes/doorkeeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/network/routes/approach.h"
#include "tests/support/strangers.h"

namespace quintet::engine {
namespace {

const std::string token = "a token that only this test knows";

DoorkeeperOptions door_of_rank_1() {
  DoorkeeperOptions options;
  options.addresses = {"127.0.0.1"};
  options.token = token;
  options.rank = 1;
  options.world = 4;
  return options;
}

std::uint64_t seventeen(std::uint32_t) {
  return 17;
}

struct Outcome {
  Approach::Came came = Approach::Came::not_yet;
  std::string failure;
  std::uint64_t last = 0;
  std::vector<RouteHello> admitted;
};

Outcome approached(Doorkeeper& keeper, const RouteHello& hello, const std::string& its_token) {
  Outcome outcome;
  const auto approach = Approach::begin("127.0.0.1", keeper.doors().front(), hello, its_token);
  if (!approach) return outcome;
  const Clock::time_point until = Clock::now() + Milliseconds(3000);
  while (outcome.came == Approach::Came::not_yet && Clock::now() < until) {
    for (const Doorkeeper::Guest& guest : keeper.admit(Clock::now(), seventeen))
      outcome.admitted.push_back(guest.hello);
    outcome.came = (*approach)->advance();
  }
  outcome.failure = (*approach)->failure();
  outcome.last = (*approach)->last();
  return outcome;
}

TEST(Doorkeeper, ARankOfTheJobComesInAndHearsWhatCameOfItsStream) {
  const auto keeper = Doorkeeper::open(door_of_rank_1());
  ASSERT_TRUE(keeper);
  const RouteHello hello{3, 1, 4, 0, 0};
  const Outcome outcome = approached(**keeper, hello, token);
  EXPECT_EQ(outcome.came, Approach::Came::about) << outcome.failure;
  EXPECT_EQ(outcome.last, 17u);
  EXPECT_EQ(outcome.admitted, std::vector{hello});
}

TEST(Doorkeeper, WhoDoesNotKnowTheTokenOrMeansAnotherJobStaysOutside) {
  const auto keeper = Doorkeeper::open(door_of_rank_1());
  ASSERT_TRUE(keeper);
  const RouteHello right{3, 1, 4, 0, 0};
  EXPECT_EQ(approached(**keeper, right, token + "!").came, Approach::Came::to_nothing);
  // Whom it is not for; of how many; from whom there is not, or itself; lane and route it has not.
  for (const RouteHello& wrong :
       {RouteHello{3, 2, 4, 0, 0}, RouteHello{3, 1, 5, 0, 0}, RouteHello{4, 1, 4, 0, 0},
        RouteHello{1, 1, 4, 0, 0}, RouteHello{3, 1, 4, 1, 0}, RouteHello{3, 1, 4, 0, 1}}) {
    const Outcome outcome = approached(**keeper, wrong, token);
    EXPECT_EQ(outcome.came, Approach::Came::to_nothing);
    EXPECT_TRUE(outcome.admitted.empty());
  }
}

// What one rank said to a door is worth nothing at the next opening of it: the nonce is another.
TEST(Doorkeeper, AnOverheardHelloIsWorthNothing) {
  RouteHandshake handshake;
  handshake.hello = {3, 1, 4, 0, 0};
  handshake.asked.fill(std::byte{1});
  const std::vector<std::byte> overheard = hello_bytes(token, handshake);
  EXPECT_TRUE(read_hello(token, handshake.asked, overheard).has_value());
  Nonce another = handshake.asked;
  another[31] = std::byte{2};
  EXPECT_FALSE(read_hello(token, another, overheard).has_value());
}

TEST(Doorkeeper, EveryByteOfAnAnswerCounts) {
  RouteHandshake handshake;
  handshake.hello = {3, 1, 4, 0, 0};
  const std::vector<std::byte> answer = answer_bytes(token, handshake, 99);
  EXPECT_EQ(read_answer(token, handshake, answer), 99u);
  for (std::size_t i = 0; i < answer.size(); ++i) {
    std::vector<std::byte> forged = answer;
    forged[i] ^= std::byte{1};
    EXPECT_FALSE(read_answer(token, handshake, forged).has_value()) << i;
  }
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (int number = 0; number < 4096; ++number) count += fcntl(number, F_GETFD) >= 0 ? 1u : 0u;
  return count;
}

// A thousand who say nothing, or nonsense that begins as a hello does.
TEST(Doorkeeper, AThousandStrangersCostAHundredDescriptorsAndKeepNobodyOut) {
  const auto keeper = Doorkeeper::open(door_of_rank_1());
  ASSERT_TRUE(keeper);
  const std::size_t before = open_descriptors();
  std::vector<Descriptor> strangers;
  for (unsigned i = 0; i < 1000; ++i) {
    strangers.push_back(half_open((*keeper)->doors().front()));
    std::vector<std::byte> said = garbage(i % 2 * hello_size, i);
    if (!said.empty()) said[0] = std::byte{1}, said[1] = said[2] = said[3] = std::byte{0};
    send(strangers.back().number(), said.data(), said.size(), MSG_NOSIGNAL);
    EXPECT_TRUE((*keeper)->admit(Clock::now(), seventeen).empty());
  }
  // Its own ends, the strangers' and the 128 that may wait.
  EXPECT_LE(open_descriptors(), before + 1000 + 128);
  EXPECT_EQ(approached(**keeper, {3, 1, 4, 0, 0}, token).came, Approach::Came::about);
}

}  // namespace
}  // namespace quintet::engine
