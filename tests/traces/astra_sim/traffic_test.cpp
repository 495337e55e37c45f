#include "traces/astra_sim/traffic.h"

#include <gtest/gtest.h>

#include "traces/astra_sim/rank_events.h"
#include "traces/astra_sim/wire_rules.h"

namespace quintet {
namespace {

constexpr double gigabyte = 1e9 / 1073741824.0;  // a second, in ASTRA-sim's: a byte a nanosecond

TEST(WireRules, CountHopsByTheShape) {
  const AstraDimension ring{AstraShape::ring, 8, 1.0, 1.0};
  EXPECT_EQ(hops_between(ring, 0, 3), 3);
  EXPECT_EQ(hops_between(ring, 0, 6), 2);
  EXPECT_EQ(next_on_way(ring, 0, 4), 1);  // both ways are as long: clockwise
  EXPECT_EQ(next_on_way(ring, 0, 5), 7);
  EXPECT_EQ(hops_between({AstraShape::fully_connected, 8, 1.0, 1.0}, 0, 6), 1);
  const AstraDimension star{AstraShape::star, 8, 1.0, 1.0};
  EXPECT_EQ(hops_between(star, 0, 6), 2);
  EXPECT_EQ(next_on_way(star, 0, 6), 8);
  EXPECT_EQ(next_on_way(star, 8, 6), 6);
}

// 4 MiB over 50 GB/s of 2^30 bytes are 78125 ns, and 500.75 ns on top lose their fraction.
TEST(WireRules, CutFractionsOfNanosecondsOff) {
  const AstraNetwork network{{{AstraShape::star, 4, 50.0, 250.375}}};
  EXPECT_EQ(unaware_nanoseconds(network, 0, 1, 4 << 20), 78625);
  EXPECT_EQ(hop_nanoseconds(network.dimensions.front(), 4 << 20), 78375);
  EXPECT_EQ(wire_nanoseconds(network.dimensions.front(), (4 << 20) + 50), 78125);
  EXPECT_EQ(whole_nanoseconds(1e300), end_of_time.picoseconds / 1000);
  EXPECT_EQ(span_of(std::int64_t{1} << 62), Duration{end_of_time.picoseconds / 1000 * 1000});
}

// Only the first dimension in which the ends differ counts, as in ASTRA-sim.
TEST(WireRules, GoThroughTheFirstDimensionThatDiffers) {
  const AstraNetwork network{
      {{AstraShape::ring, 4, 1.0, 10.0}, {AstraShape::ring, 8, 1.0, 1000.0}}};
  EXPECT_EQ(unaware_nanoseconds(network, 0, 4 + 2, 0), 20);
  EXPECT_EQ(unaware_nanoseconds(network, 0, 8, 0), 2000);
}

struct Arrival {
  int from;
  std::int64_t nanoseconds;
  bool operator==(const Arrival&) const = default;
};
std::vector<Arrival> arrivals(AstraBackend backend, const std::vector<AstraMessage>& messages) {
  const AstraNetwork network{{{AstraShape::star, 4, gigabyte, 100.0}}};
  EventQueue events;
  std::vector<Arrival> found;
  Wires wires(events, network, backend, [&](const AstraMessage& message) {
    found.push_back({message.from, events.now().picoseconds / 1000});
  });
  for (const AstraMessage& message : messages) wires.send(message);
  events.run();
  return found;
}

// 1000 bytes take 1000 ns on a wire and 100 ns longer a hop. Both reach the switch at 1100; the
// first has the wire down until 2100, and the other reaches rank 3 at 2100 + 1100.
TEST(Wires, TakeOneMessageAfterTheOtherWhereCongestionCounts) {
  const std::vector<AstraMessage> messages{{1, 1000, 0, 3, -1}, {1, 1000, 1, 3, -1}};
  EXPECT_EQ(arrivals(AstraBackend::congestion_aware, messages),
            (std::vector<Arrival>{{0, 2200}, {1, 3200}}));
  EXPECT_EQ(arrivals(AstraBackend::congestion_unaware, messages),
            (std::vector<Arrival>{{0, 1200}, {1, 1200}}));
}

TEST(Wires, KeepTheOrderOfThoseThatWait) {
  std::vector<AstraMessage> messages;
  for (int at = 0; at < 4; ++at) messages.push_back({at, 1000, 0, 1 + at % 3, -1});
  EXPECT_EQ(arrivals(AstraBackend::congestion_aware, messages),
            (std::vector<Arrival>{{0, 2200}, {0, 3200}, {0, 4200}, {0, 5200}}));
}

TEST(Mailbox, MatchesInOrderWhicheverIsThereFirst) {
  Mailbox mailbox;
  const MessageKey key{1, 100, 0, 1}, other{2, 100, 0, 1};
  EXPECT_FALSE(mailbox.put(key));
  EXPECT_FALSE(mailbox.put(key));
  EXPECT_TRUE(mailbox.take(key, {Receiver::Kind::piece, 7}));
  EXPECT_FALSE(mailbox.take(other, {Receiver::Kind::piece, 8}));
  EXPECT_FALSE(mailbox.take(other, {Receiver::Kind::task, 9}));
  EXPECT_EQ(*mailbox.awaited(), other);
  EXPECT_EQ(mailbox.put(other)->number, 8);
  EXPECT_EQ(mailbox.put(other)->number, 9);
  EXPECT_TRUE(mailbox.take(key, {}));
  EXPECT_EQ(mailbox.unmatched(), 0U);
}

// Keys come and go by thousands: what is dropped must not hide what was put behind it.
TEST(Mailbox, FindsEachOfManyKeys) {
  Mailbox mailbox;
  const auto key = [](int at) { return MessageKey{at % 7, at % 11, at, at * 31 % 1009}; };
  for (int at = 0; at < 5000; ++at) mailbox.take(key(at), {Receiver::Kind::piece, at});
  for (int at = 0; at < 5000; at += 3) ASSERT_EQ(mailbox.put(key(at))->number, at);
  for (int at = 0; at < 5000; at += 3) mailbox.take(key(at), {Receiver::Kind::piece, -at});
  for (int at = 0; at < 5000; ++at) ASSERT_EQ(mailbox.put(key(at))->number, at % 3 == 0 ? -at : at);
  EXPECT_EQ(mailbox.unmatched(), 0U);
}

// Rank 1 was first for 20 ns; all that rank 0 has then, also what is asked for at that instant,
// happens together where its first was asked for.
TEST(RankEvents, HappenTogetherOnARank) {
  EventQueue events;
  std::vector<std::pair<int, int>> happened;
  std::function<void(int, const RankEvent&)> happen = [&](int rank, const RankEvent& event) {
    happened.emplace_back(rank, event.number);
  };
  RankEvents ranks(events, 2, [&](int rank, const RankEvent& event) {
    happen(rank, event);
    if (event.number == 3) ranks.after(rank, 0, {RankEvent::Kind::ended, 6, -1});
  });
  const auto ask = [&](int rank, std::int64_t nanoseconds, int number) {
    ranks.after(rank, nanoseconds, {RankEvent::Kind::ended, number, -1});
  };
  ask(1, 20, 1);
  ask(0, 20, 2);
  ask(0, 30, 9);
  ask(0, 10, 0);
  ask(1, 20, 5);
  ask(0, 20, 3);
  events.run();
  EXPECT_EQ(happened, (std::vector<std::pair<int, int>>{
                          {0, 0}, {1, 1}, {1, 5}, {0, 2}, {0, 3}, {0, 6}, {0, 9}}));
}

}  // namespace
}  // namespace quintet
