// What links carry over time: it adds up to what they carry in the step, and lies where spans lie.
#include "sim/simulate/walk/link_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/simulate/predict.h"
#include "tests/sim/simulate/random_step.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using test::required;

Prediction predicted(const test::RandomStep& step, const char* costs, PredictOptions options = {}) {
  options.traffic = true;
  return required(
      predict(step.model, step.plan, step.topology, test::shipped_costs(costs), options));
}

test::RandomStep pipelined(int micro_batches) {
  test::RandomStep step;
  step.model = test::shipped_model("llama-3-8b");
  step.model.layers = 8;
  step.plan.parallelism.pipeline = 4;
  step.plan.parallelism.tensor = 2;
  step.plan.parallelism.data = 2;
  step.plan.parallelism.sequence_length = 512;
  step.plan.parallelism.micro_batches = micro_batches;
  step.topology = test::shipped_topology("dgx-h100-1024", 2);
  return step;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t load = 0; load < wanted.size(); ++load)
    EXPECT_NEAR(found[load], wanted[load], 1e-9 * std::max(1.0, wanted[load])) << load;
}

std::vector<double> sums(const Prediction& prediction) {
  std::vector<double> bytes;
  for (const LinkLoad& load : prediction.loads) bytes.push_back(load.bytes);
  return bytes;
}

// The loads are summed from counts of moves, the traffic from the moves themselves: 48
// micro-batches are folded to a few, of which the middle repeats.
TEST(LinkTraffic, OfAllOfTheStepIsItsLoads) {
  for (const int micro_batches : {4, 48}) {
    const Prediction step = predicted(pipelined(micro_batches), "h100-sxm-80gb");
    const std::vector<double> wanted = sums(step);
    EXPECT_GT(*std::max_element(wanted.begin(), wanted.end()), 0);
    expect_near(bytes_between(step.traffic, {}, step.timeline.end), wanted);
  }
}

TEST(LinkTraffic, OfPartsAddsUpToTheWhole) {
  const Prediction step = predicted(pipelined(48), "h100-sxm-80gb");
  std::vector<double> all(step.loads.size(), 0.0);
  constexpr int parts = 7;
  for (int part = 0; part < parts; ++part) {
    const auto at = [&](int number) {
      return Instant{step.timeline.end.picoseconds / parts * number +
                     (number == parts ? step.timeline.end.picoseconds % parts : 0)};
    };
    const std::vector<double> some = bytes_between(step.traffic, at(part), at(part + 1));
    for (std::size_t load = 0; load < all.size(); ++load) all[load] += some[load];
  }
  expect_near(all, sums(step));
}

// A folded walk and an unfolded one, which repeats nothing, say the same of each link at any time.
TEST(LinkTraffic, IsTheSameUnfolded) {
  const test::RandomStep asked = pipelined(24);
  const Prediction folded = predicted(asked, "h100-sxm-80gb");
  PredictOptions options;
  options.folding = Folding::none;
  const Prediction unfolded = predicted(asked, "h100-sxm-80gb", options);
  ASSERT_EQ(folded.timeline.end, unfolded.timeline.end);
  const Instant from{folded.timeline.end.picoseconds / 3};
  const Instant to{folded.timeline.end.picoseconds / 2};
  const std::vector<double> one = bytes_between(folded.traffic, from, to);
  const std::vector<double> other = bytes_between(unfolded.traffic, from, to);
  for (std::size_t link = 0; link < asked.topology.links.size(); ++link) {
    const auto carried = [link](const Prediction& step, const std::vector<double>& bytes) {
      const std::int32_t load = step.load_of_link[link];
      return load < 0 ? 0.0 : bytes[static_cast<std::size_t>(load)];
    };
    const double wanted = carried(unfolded, other);
    EXPECT_NEAR(carried(folded, one), wanted, 1e-9 * std::max(1.0, wanted)) << link;
  }
}

// Bytes by hand: 30 of a kind that puts half of each on load 0 and all on load 1, from 10 to 20 ps.
LinkTraffic of_one_move() {
  return {{{Axis::data, {{0, 0.5}, {1, 1.0}}}, {std::nullopt, {{1, 2.0}}}},
          {{0, 30.0, Instant{10}, Instant{20}}, {1, 4.0, Instant{15}, Instant{15}}},
          2};
}

TEST(LinkTraffic, SpreadsBytesEvenlyOverTheirTime) {
  const LinkTraffic traffic = of_one_move();
  // A fifth of the time: 6 of 30 bytes.
  EXPECT_EQ(bytes_between(traffic, Instant{10}, Instant{12}), (std::vector<double>{3.0, 6.0}));
  EXPECT_EQ(bytes_between(traffic, Instant{20}, Instant{40}), (std::vector<double>{0.0, 0.0}));
  // What takes no time is in the part that ends with it: 6 of 30 bytes, and twice 4.
  EXPECT_EQ(bytes_between(traffic, Instant{13}, Instant{15}), (std::vector<double>{3.0, 14.0}));
  EXPECT_EQ(bytes_between(traffic, Instant{15}, Instant{17}), (std::vector<double>{3.0, 6.0}));
}

TEST(LinkTraffic, SaysWhichAxesUseALink) {
  const std::vector<AxisBytes> users = bytes_by_axis(of_one_move(), 1, Instant{}, Instant{100});
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0], (AxisBytes{Axis::data, 30.0}));
  EXPECT_EQ(users[1], (AxisBytes{std::nullopt, 8.0}));
  EXPECT_EQ(bytes_by_axis(of_one_move(), 0, Instant{}, Instant{100}),
            (std::vector<AxisBytes>{{Axis::data, 15.0}}));
}

TEST(LinkTraffic, IsKeptOnlyWhereItIsAskedFor) {
  const test::RandomStep step = pipelined(4);
  const Prediction quiet =
      required(predict(step.model, step.plan, step.topology, test::shipped_costs("h100-sxm-80gb")));
  EXPECT_TRUE(quiet.traffic.moved.empty());
  EXPECT_EQ(quiet.timeline, predicted(step, "h100-sxm-80gb").timeline);
}

}  // namespace
}  // namespace quintet
