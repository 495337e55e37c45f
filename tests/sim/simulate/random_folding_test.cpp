// Folded equals unfolded to the picosecond on clusters that nobody has chosen: hashed, pinned and
// sprayed routes, slower cables, uneven stages, shuffled placements.
#include <gtest/gtest.h>

#include "sim/explain/breakdown.h"
#include "sim/simulate/predict.h"
#include "tests/sim/simulate/random_step.h"
#include "tests/sim/simulate/spans_by_rank.h"

namespace quintet {
namespace {

Execution executed(const test::RandomStep& step, const Program& program, const CostTable& costs,
                   Folding folding) {
  PredictOptions options;
  options.folding = folding;
  return test::required(simulate(program, step.plan, step.topology, costs, options));
}

double carried(const Execution& execution, std::size_t link) {
  const std::int32_t load = execution.load_of_link[link];
  return load < 0 ? 0.0 : execution.loads[static_cast<std::size_t>(load)].bytes;
}

void expect_equal(const Execution& full, const Execution& folded) {
  EXPECT_EQ(full.timeline.end, folded.timeline.end);
  const auto of_all = spans_by_rank(full.timeline);
  for (const auto& [rank, spans] : spans_by_rank(folded.timeline))
    EXPECT_TRUE(of_all.at(rank) == spans) << "rank " << rank;
  EXPECT_EQ(mean(breakdowns(full.timeline)), mean(breakdowns(folded.timeline)));
  ASSERT_EQ(full.load_of_link.size(), folded.load_of_link.size());
  for (std::size_t link = 0; link < full.load_of_link.size(); ++link)
    EXPECT_EQ(carried(full, link), carried(folded, link)) << "link " << link;
}

// What the draws came to, so that a test that no longer tests is seen.
struct Seen {
  int folded = 0;            // fewer classes than ranks
  int with_slack_links = 0;  // the presumption held, for some link
  int in_vain = 0;           // it failed at least once
};

Seen compare_steps(int first_seed, int steps) {
  static const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  Seen seen;
  for (int seed = first_seed; seed < first_seed + steps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(static_cast<std::uint64_t>(seed));
    const test::RandomStep step = test::random_step(dice);
    const Program program =
        test::required(checked_program(step.model, step.plan, step.topology, costs));
    const Execution folded = executed(step, program, costs, Folding::equivalent);
    expect_equal(executed(step, program, costs, Folding::none), folded);
    const auto ranks = static_cast<std::size_t>(world_size(step.plan.parallelism));
    seen.folded += folded.timeline.tracks.size() < ranks ? 1 : 0;
    seen.with_slack_links += folded.folding.slack_links > 0 ? 1 : 0;
    seen.in_vain += folded.folding.walks > 1 ? 1 : 0;
    if (::testing::Test::HasFailure()) break;
  }
  return seen;
}

// In two parts, so that both cores have one.
class RandomFolding : public ::testing::TestWithParam<int> {};

TEST_P(RandomFolding, ChangesNothing) {
  constexpr int steps = 150;
  const Seen seen = compare_steps(1 + steps * GetParam(), steps);
  RecordProperty("folded", seen.folded);
  RecordProperty("with_slack_links", seen.with_slack_links);
  RecordProperty("in_vain", seen.in_vain);
  EXPECT_GT(seen.folded, steps / 4);
  EXPECT_GT(seen.with_slack_links, steps / 10);
  EXPECT_GT(seen.in_vain, 2);
}

INSTANTIATE_TEST_SUITE_P(Halves, RandomFolding, ::testing::Values(0, 1));

}  // namespace
}  // namespace quintet
