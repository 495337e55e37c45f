#include "sim/adapt/link_watch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quintet {
namespace {

using namespace literals;

// Milliseconds later than usual (1 ms) that are believed after each of these messages.
std::vector<double> believed(const std::vector<double>& messages, const WatchRules& rules) {
  LinkWatch watch = watch_of({Seconds{1e-3}}, SentBy::kernels);
  std::vector<double> delays;
  for (const double message : messages) {
    watch = observed(watch, {Seconds{1e-3 * message}}, SentBy::kernels, rules);
    delays.push_back(std::round(1e3 * watch.links.front().delay.value));
  }
  return delays;
}

const WatchRules twice{.rises = 1.5, .at_least = 5_ms, .differs = 0.25, .steps = 2};

// The drawing of link_watch.h: one late message is none; two that agree are a delay; another delay
// and the end of it need two again.
TEST(LinkWatch, BelievesWhatTwoStepsInARowSay) {
  EXPECT_EQ((std::vector<double>{0, 0, 0, 0, 0, 39, 39, 39, 79, 79, 0}),
            believed({1, 1, 40, 1, 40, 40, 41, 80, 80, 1, 1}, twice));
}

// Slow from 5 ms beyond the usual, well again below 2.5: what lies between changes nothing.
TEST(LinkWatch, LeavesWhatLiesBetweenAsItWas) {
  EXPECT_EQ((std::vector<double>{0, 0, 0, 0}), believed({5.9, 5.9, 5.9, 5.9}, twice));
  EXPECT_EQ((std::vector<double>{0, 6, 6, 6, 6, 6}), believed({7, 7, 4, 4, 5.9, 4}, twice));
  EXPECT_EQ((std::vector<double>{0, 6, 6, 0}), believed({7, 7, 3, 3}, twice));
}

// A quarter more or less than the 20 ms believed is the same delay.
TEST(LinkWatch, KeepsADelayThatVariesALittle) {
  EXPECT_EQ((std::vector<double>{0, 20, 20, 20, 20, 20}),
            believed({21, 21, 25, 17, 25, 25}, twice));
}

TEST(LinkWatch, NeverBelievesADelayThatComesAndGoes) {
  std::vector<double> flapping;
  for (int step = 0; step < 20; ++step) flapping.push_back(step % 2 == 0 ? 41 : 1);
  EXPECT_EQ(std::vector<double>(20, 0.0), believed(flapping, twice));
}

// The first message of a link of which nothing was known is its usual one; no message, no change.
TEST(LinkWatch, LearnsWhatIsUsual) {
  LinkWatch watch = watch_of({std::nullopt, Seconds{2e-3}}, SentBy::kernels);
  watch = observed(watch, {Seconds{3e-3}, std::nullopt}, SentBy::kernels, twice);
  EXPECT_EQ(Seconds{3e-3}, watch.links[0].usual[0]);
  EXPECT_EQ(Seconds{2e-3}, watch.links[1].usual[0]);
  EXPECT_EQ((std::vector<Seconds>{{}, {}}), delays(watch));
}

// Delegates take 4 ms where kernels took 1: no delay, as they were first seen when 20 ms were
// believed in; well again is what comes in 4 ms by them, or in 1 by kernels.
TEST(LinkWatch, KeepsWhatIsUsualOfDelegatesApart) {
  LinkWatch watch = watch_of({Seconds{1e-3}}, SentBy::kernels);
  for (int step = 0; step < 2; ++step) watch = observed(watch, {21_ms}, SentBy::kernels, twice);
  for (int step = 0; step < 3; ++step) watch = observed(watch, {24_ms}, SentBy::delegates, twice);
  EXPECT_NEAR(0.020, watch.links[0].delay.value, 1e-9);
  EXPECT_NEAR(0.004, watch.links[0].usual[1].value().value, 1e-9);
  for (int step = 0; step < 2; ++step) watch = observed(watch, {4_ms}, SentBy::delegates, twice);
  EXPECT_EQ(Seconds{}, watch.links[0].delay);
}

}  // namespace
}  // namespace quintet
