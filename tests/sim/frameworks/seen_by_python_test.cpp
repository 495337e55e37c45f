// What was written, read by Python and held to tables of the frameworks' rules that are not ours.
#include <gtest/gtest.h>

#include <string>

#include "sim/frameworks/framework.h"
#include "tests/support/random_plans.h"
#include "tests/support/run_program.h"
#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

constexpr int plan_count = 80;

// Plans as they come, so that most ask for what cannot be said.
void expect_allowed(const std::string& framework, const std::string& script, std::uint64_t seed) {
  const TemporaryFolder folder;
  if (run_shell("python3 --version", folder.path()).exit_code != 0)
    GTEST_SKIP() << "there is no python3";
  const std::vector<PlanWorld> worlds = plan_worlds();
  Dice dice(seed);
  for (int number = 0; number < plan_count; ++number) {
    const PlanWorld& world = worlds[static_cast<std::size_t>(number) % worlds.size()];
    const ExportedPlan made =
        exported(*framework_of(framework), random_plan(dice, world), world.model, world.topology);
    write_bytes(folder.path() / ("plan" + std::to_string(number)), made.text);
  }
  const ProgramRun checked =
      run_shell("python3 '" + source("tests/sim/frameworks/" + script) + "' plan*", folder.path());
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(checked.out, std::to_string(plan_count) + " files, nothing wrong\n");
}

TEST(SeenByPython, DeepSpeedsRulesHold) {
  expect_allowed("deepspeed", "check_deepspeed.py", 6);
}

TEST(SeenByPython, MegatronBridgesRulesHold) {
  expect_allowed("nemo", "check_nemo.py", 7);
}

}  // namespace
}  // namespace quintet::test
