#include "sim/base/event_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet {
namespace {

using Log = std::vector<std::string>;

TEST(EventQueue, EventsRunInOrderOfTime) {
  EventQueue events;
  Log log;
  events.at(Instant{30}, [&] { log.push_back("c"); });
  events.at(Instant{10}, [&] { log.push_back("a"); });
  events.at(Instant{20}, [&] { log.push_back("b"); });
  EXPECT_EQ(events.run(), Instant{30});
  EXPECT_EQ(log, (Log{"a", "b", "c"}));
  EXPECT_EQ(events.handled(), 3u);
  EXPECT_TRUE(events.empty());
}

TEST(EventQueue, EqualTimesRunInTheOrderTheyWereAskedFor) {
  EventQueue events;
  std::vector<int> log, asked;
  // 100 of one instant: a heap alone would not keep their order.
  for (int i = 0; i < 100; ++i) {
    asked.push_back(i);
    events.at(Instant{5}, [&log, i] { log.push_back(i); });
  }
  events.run();
  EXPECT_EQ(log, asked);
}

TEST(EventQueue, SettlingWaitsForAllThatHappensAtItsInstant) {
  EventQueue events;
  Log log;
  events.at(
      Instant{5}, [&] { log.push_back("rates"); }, EventClass::settle);
  events.at(Instant{5}, [&] {
    log.push_back("flow ends");
    // Asked for while the instant is already running, and still before the rates.
    events.after(Duration{0}, [&] { log.push_back("next flow starts"); });
  });
  events.at(Instant{6}, [&] { log.push_back("later"); });
  events.run();
  EXPECT_EQ(log, (Log{"flow ends", "next flow starts", "rates", "later"}));
}

TEST(EventQueue, WhatASettlingStartsAtItsOwnInstantRunsBeforeTheNextInstant) {
  EventQueue events;
  Log log;
  events.at(Instant{6}, [&] { log.push_back("later"); });
  events.at(
      Instant{5},
      [&] {
        log.push_back("rates");
        events.after(Duration{0}, [&] { log.push_back("done at once"); });
      },
      EventClass::settle);
  events.run();
  EXPECT_EQ(log, (Log{"rates", "done at once", "later"}));
}

// The last event of the run is the last thing that happened: 20, not 30.
TEST(EventQueue, ACancelledEventNeitherRunsNorHoldsTheClock) {
  EventQueue events;
  Log log;
  const EventId late = events.at(Instant{30}, [&] { log.push_back("never"); });
  const EventId soon = events.at(Instant{15}, [&] { log.push_back("never"); });
  events.at(Instant{10}, [&] {
    events.cancel(late);
    events.cancel(soon);
    events.at(Instant{20}, [&] { log.push_back("instead"); });
  });
  EXPECT_EQ(events.run(), Instant{20});
  EXPECT_EQ(log, (Log{"instead"}));
  EXPECT_EQ(events.handled(), 2u);
}

// Whatever is cancelled in between, what is left runs by time and then in the order asked for.
TEST(EventQueue, CancellingLeavesTheOrderOfTheOthers) {
  EventQueue events;
  std::vector<EventId> ids;
  std::vector<int> log, expected;
  for (int i = 0; i < 300; ++i)
    ids.push_back(events.at(Instant{i * 7 % 10}, [&log, i] { log.push_back(i); }));
  for (std::size_t i = 0; i < ids.size(); i += 3) events.cancel(ids[i]);
  for (int when = 0; when < 10; ++when)
    for (int i = 0; i < 300; ++i)
      if (i * 7 % 10 == when && i % 3 != 0) expected.push_back(i);
  events.run();
  EXPECT_EQ(log, expected);
}

TEST(EventQueue, AnEventSeesItsOwnTimeAsNow) {
  EventQueue events;
  std::vector<Instant> seen;
  events.after(Duration{7}, [&] {
    seen.push_back(events.now());
    events.after(Duration{3}, [&] { seen.push_back(events.now()); });
  });
  EXPECT_EQ(events.now(), Instant{0});
  EXPECT_EQ(events.run(), Instant{10});
  EXPECT_EQ(seen, (std::vector<Instant>{{7}, {10}}));
}

TEST(EventQueue, AnEmptyQueueEndsWhereItStands) {
  EventQueue events;
  EXPECT_EQ(events.run(), Instant{0});
  EXPECT_EQ(events.handled(), 0u);
}

TEST(EventQueue, TwoQueuesDoNotShareAClock) {
  EventQueue one, two;
  one.at(Instant{9}, [] {});
  one.run();
  EXPECT_EQ(one.now(), Instant{9});
  EXPECT_EQ(two.now(), Instant{0});
}

#ifndef NDEBUG
TEST(EventQueueDeathTest, ThePastCannotBeAskedFor) {
  EventQueue events;
  events.at(Instant{9}, [] {});
  events.run();
  EXPECT_DEATH(events.at(Instant{8}, [] {}), "when >= now_");
}
#endif

}  // namespace
}  // namespace quintet
