#include "sim/answer/pareto_front.h"

#include <gtest/gtest.h>

#include <random>

namespace quintet {
namespace {

bool beats(const std::pair<double, double>& one, const std::pair<double, double>& other) {
  return one.first <= other.first && one.second <= other.second && one != other;
}

// By its definition, every pair of them.
std::vector<bool> by_definition(const std::vector<JudgedByTwo>& all) {
  std::vector<bool> front;
  for (const JudgedByTwo& each : all) {
    bool is = each.has_value();
    for (const JudgedByTwo& other : all)
      if (is && other && beats(*other, *each)) is = false;
    front.push_back(is);
  }
  return front;
}

TEST(ParetoFront, IsWhatNobodyBeats) {
  // (1, 5) and (3, 2) beat (4, 5); (3, 2) beats (3, 3); the second (1, 5) is as good as the first.
  const std::vector<JudgedByTwo> all{{{1, 5}}, {{3, 2}}, {{4, 5}}, {}, {{3, 3}}, {{1, 5}}};
  EXPECT_EQ(pareto_front(all), (std::vector{true, true, false, false, false, true}));
}

TEST(ParetoFront, OfNothingIsNothing) {
  EXPECT_TRUE(pareto_front({}).empty());
}

TEST(ParetoFront, IsThatOfItsDefinition) {
  std::mt19937 random(17);
  for (int round = 0; round < 300; ++round) {
    // Few values, so that many are equal in one or both.
    std::uniform_int_distribution<int> value(0, round % 9 + 1), count(0, 40), known(0, 5);
    std::vector<JudgedByTwo> all;
    for (int i = count(random); i > 0; --i)
      all.push_back(known(random) == 0 ? JudgedByTwo()
                                       : std::pair<double, double>(value(random), value(random)));
    EXPECT_EQ(pareto_front(all), by_definition(all)) << "round " << round;
  }
}

TEST(ParetoFront, ByManyIsThatOfItsDefinition) {
  std::mt19937 random(18);
  for (int round = 0; round < 300; ++round) {
    std::uniform_int_distribution<int> value(0, round % 7 + 1), count(0, 40), known(0, 9);
    std::vector<Judged> all;
    for (int i = count(random); i > 0; --i) {
      all.emplace_back();
      if (known(random) == 0) continue;
      for (int criterion = 0; criterion < 4; ++criterion) all.back().push_back(value(random));
    }
    std::vector<bool> front;
    for (const Judged& each : all) {
      bool is = !each.empty();
      for (const Judged& other : all) {
        if (each.empty() || other.empty() || other == each) continue;
        bool as_good = true;
        for (std::size_t i = 0; i < each.size(); ++i) as_good = as_good && other[i] <= each[i];
        if (as_good) is = false;
      }
      front.push_back(is);
    }
    EXPECT_EQ(pareto_front_by_many(all), front) << "round " << round;
  }
}

// Only the second of these is better than another in one and as good in the rest.
TEST(ParetoFront, ByManyKeepsWhatIsBestInOne) {
  const std::vector<Judged> all{{3, 1, 1, 1}, {1, 3, 1, 1}, {1, 4, 1, 1}, {2, 2, 2, 2}};
  EXPECT_EQ(pareto_front_by_many(all), (std::vector{true, true, false, true}));
}

}  // namespace
}  // namespace quintet
