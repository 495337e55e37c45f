// Machines made up, whose ranks share cores in a known way.
#include "calibrate/probes/core_sharing.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

struct Probe {
  Seconds computing;
  int meetings = 0;
};

// Computing takes its time over the usable share; then each meeting adds what the spread lets it.
Seconds step(const Probe& probe, const ProcessorCosts& processors) {
  const Seconds computing = probe.computing / processors.usable;
  const ArrivalSpread& spread = processors.arrival_spread;
  if (probe.meetings == 0) return computing;
  return computing + static_cast<double>(probe.meetings) *
                         std::min(spread.most, spread.share * (computing / probe.meetings));
}

// Half of the probes never meet; the others come to a collective every 1 ms up to every 50 ms.
std::vector<Probe> probes() {
  std::vector<Probe> all;
  for (const int meetings : {0, 0, 0, 0, 0, 0, 2, 10, 20, 30, 50, 100})
    all.push_back({100_ms, meetings});
  return all;
}

ProcessorCosts fitted(const ProcessorCosts& real, const std::vector<Probe>& probes) {
  const StepsBy steps_by = [&](const CostTable& table) -> Result<std::vector<WholeStep>> {
    std::vector<WholeStep> steps;
    for (const Probe& each : probes)
      steps.push_back({step(each, real), step(each, *table.processors),
                       "form " + std::to_string(steps.size())});
    return steps;
  };
  CostTable table;
  table.processors = ProcessorCosts{};
  EXPECT_FALSE(fit_core_sharing(steps_by, table));
  return *table.processors;
}

TEST(CoreSharing, OfRanksThatLoseNothingIsNothing) {
  EXPECT_EQ(fitted({}, probes()), ProcessorCosts{});
}

// Nobody meets: nothing but the cores' share can tell, which is found to half a percent.
TEST(CoreSharing, FindsTheShareOfTheCoresThatIsMissing) {
  ProcessorCosts real;
  real.usable = 0.8;
  const ProcessorCosts found = fitted(real, std::vector<Probe>(9, {100_ms, 0}));
  EXPECT_NEAR(found.usable, 0.8, 0.004);
  EXPECT_EQ(found.arrival_spread, ArrivalSpread{});
}

// Every probe that never meets proves that no core time is missing.
TEST(CoreSharing, FindsHowLateRanksMeet) {
  ProcessorCosts real;
  real.arrival_spread = {0.2, 2_ms};
  const ProcessorCosts found = fitted(real, probes());
  EXPECT_EQ(found.usable, 1);
  EXPECT_EQ(found.arrival_spread, (ArrivalSpread{0.2, 2_ms}));
}

TEST(CoreSharing, SaysWhatCouldNotBePredicted) {
  CostTable table;
  table.processors = ProcessorCosts{};
  const auto error = fit_core_sharing(
      [](const CostTable&) -> Result<std::vector<WholeStep>> {
        return Error{"here", "no"};
      },
      table);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text(), Error("here", "no").text());
}

}  // namespace
}  // namespace quintet::calibrate
