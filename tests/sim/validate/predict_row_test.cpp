#include "sim/validate/rows/predict_row.h"

#include <gtest/gtest.h>

#include "sim/simulate/predict.h"
#include "sim/validate/rows/machines.h"
#include "sim/validate/validation.h"
#include "tests/sim/validate/rows.h"
#include "tests/sim/validate/shelf.h"

namespace quintet {
namespace {

PublishedRow row() {
  return parse_rows(header() + gpt_row(), "f.csv")->front();
}

Expression expression_of(const PublishedRow& row) {
  Expressed expressed = express(row, shipped_shelf());
  EXPECT_TRUE(std::holds_alternative<Expression>(expressed));
  return std::get<Expression>(std::move(expressed));
}

TEST(PredictRow, AShortenedStepTakesAsLongAsTheWhole) {
  MachinePark machines(repository() / "topologies");
  for (const char* vpp : {"1", "2"}) {
    PublishedRow many = row();
    many.gbs = 256;  // 64 micro-batches
    many.vpp = vpp;
    const Expression expression = expression_of(many);
    const SimulatedBatches batches = simulated_batches(expression.plan.parallelism);
    EXPECT_EQ(batches, (SimulatedBatches{4, 6}));
    const auto topology = machines.with_gpus(expression.topology, expression.gpus);
    ASSERT_TRUE(topology) << topology.error().text();
    const auto shortened = predict_row(expression, **topology);
    ASSERT_TRUE(shortened) << shortened.error().text();
    PredictOptions options;
    options.compile = expression.compile;
    const auto whole =
        predict(expression.model, expression.plan, **topology, expression.costs, options);
    ASSERT_TRUE(whole) << whole.error().text();
    const double seconds_whole = seconds(whole->timeline.end - Instant{}).value;
    EXPECT_NEAR(shortened->step.value / seconds_whole, 1, 0.002) << "vpp " << vpp;
    EXPECT_EQ(total(shortened->fullest), total(*fullest(whole->memory)));
  }
}

TEST(PredictRow, FewerGpusThanAHostHasCutTheHost) {
  MachinePark machines(repository() / "topologies");
  const auto two = machines.with_gpus("selene-a100", 2);
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_EQ(rank_slots(**two).size(), 2u);
  EXPECT_EQ((*two)->hosts.size(), 1u);
}

// 64 hosts, at most 20 on a leaf, are four groups of 16: 32 leaves, each with one cable of 16 times
// 25 GB/s, both ways.
TEST(PredictRow, AMachineThatSpraysHasOneThickCablePerLeaf) {
  MachinePark machines(repository() / "topologies");
  const auto sprayed = machines.with_gpus("selene-a100", 512, Routing::spray);
  ASSERT_TRUE(sprayed);
  std::vector<double> trunks;
  for (const Link& link : (*sprayed)->links)
    if ((*sprayed)->device(link.from).kind == DeviceKind::network_switch &&
        (*sprayed)->device(link.to).kind == DeviceKind::network_switch)
      trunks.push_back(link.bandwidth.value);
  EXPECT_EQ(trunks, std::vector<double>(2 * 32, 16 * 25e9));
}

TEST(PredictRow, PartsOfHostsAreRefused) {
  MachinePark machines(repository() / "topologies");
  const auto twelve = machines.with_gpus("selene-a100", 12);
  ASSERT_FALSE(twelve);
  EXPECT_NE(twelve.error().what.find("12 GPUs are not whole hosts of 8"), std::string::npos);
}

TEST(Validation, NeitherThreadsNorUnknownRowsChangeTheResult) {
  PublishedRow unknown = row();
  unknown.arch = "moe";
  PublishedRow slower = row();
  slower.recompute = "none";
  const std::vector<PublishedRow> rows{row(), unknown, slower};
  const Shelf shelf = shipped_shelf();
  MachinePark machines(repository() / "topologies");
  const auto one = validate_rows(rows, shelf, machines, 1);
  const auto three = validate_rows(rows, shelf, machines, 3);
  ASSERT_EQ(one.size(), 3u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(one[i].reason, three[i].reason);
    EXPECT_EQ(time_pair(one[i]), time_pair(three[i]));
  }
  EXPECT_EQ(one[1].reason, "mixture of experts");
  const auto lines = summaries(one);
  // One stack in one file, and all together.
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].rows, 3);
  EXPECT_EQ(lines[0].expressed, 2);
  EXPECT_EQ(lines[0].time.count, 2);
  EXPECT_EQ(lines[0].verdicts, (MemoryConfusion{.ran_and_fits = 2}));
}

}  // namespace
}  // namespace quintet
