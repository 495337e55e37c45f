#include "sim/confidence/memory_fit.h"

#include <gtest/gtest.h>

namespace quintet::test {
namespace {

using namespace literals;

MemoryReport needing(Bytes needed) {
  MemoryReport report;
  report.capacity = 80_GiB;
  report.ranks = {{.rank = Rank{0}, .weights = needed}};
  return report;
}

// One verdict in ten or more was wrong from 76 to 84 of 80 GiB.
constexpr MemoryBand band{1000, 20, 0.95, 1.05, 60, 9};

TEST(MemoryFit, NearTheCapacityIsTooCloseToTell) {
  EXPECT_EQ(memory_fit(needing(70_GiB), band), MemoryFit::fits);
  EXPECT_EQ(memory_fit(needing(77_GiB), band), MemoryFit::too_close);
  EXPECT_EQ(memory_fit(needing(83_GiB), band), MemoryFit::too_close);
  EXPECT_EQ(memory_fit(needing(85_GiB), band), MemoryFit::does_not_fit);
}

TEST(MemoryFit, SaysHowOftenVerdictsThereWereWrong) {
  EXPECT_EQ(memory_fit_text(needing(78_GiB), band),
            "too close to tell: 78.00 of 80.00 GiB (97.5 %) on rank 0 (stage 0); 9 of 60 published "
            "verdicts between 95 % and 105 % of the capacity were wrong");
  EXPECT_EQ(memory_fit_text(needing(40_GiB), band),
            "fits: 40.00 of 80.00 GiB (50.0 %) on rank 0 (stage 0)");
}

TEST(MemoryFit, WithoutPublishedVerdictsIsThePlainOne) {
  EXPECT_EQ(memory_fit(needing(79.9_GiB), {}), MemoryFit::fits);
  EXPECT_EQ(memory_fit(needing(80.1_GiB), {}), MemoryFit::does_not_fit);
}

TEST(MemoryFit, OfAMachineWithoutMemoryIsNotKnown) {
  EXPECT_EQ(memory_fit({}, band), MemoryFit::not_known);
  EXPECT_EQ(memory_fit_text({}, band), "");
}

}  // namespace
}  // namespace quintet::test
