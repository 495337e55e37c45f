// Plans and machines that come with Quintet and have no GPU are predicted without measuring
// anything first.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

using Words = std::vector<std::string>;

Words tiny_plans() {
  Words names;
  for (const auto& entry : std::filesystem::directory_iterator(source("traces/plans")))
    if (const std::string name = entry.path().stem().string(); name.starts_with("tiny-gpt"))
      names.push_back(name);
  return names;
}

// One rank has a box of one; those of four any box of four.
Words machines_of(const std::string& plan) {
  if (plan == "tiny-gpt-one") return {"ethernet-cpu-4"};
  return {"box-4-1gbit", "box-4-100mbit", "box-4-10mbit", "box-4-unshaped", "box-4-2x1gbit"};
}

TEST(ShippedCpuPlans, ArePredictedWithoutCalibrating) {
  const TemporaryFolder folder;
  const Words plans = tiny_plans();
  EXPECT_GE(plans.size(), 9u);
  for (const std::string& plan : plans)
    for (const std::string& box : machines_of(plan)) {
      Words words{"simulate", "-q", plan, "--model", "tiny-gpt", "--topology", box, "--json"};
      if (plan == "tiny-gpt-one") words.insert(words.end(), {"--hosts", "1"});
      const ProgramRun told = run_quintet(words, folder.path());
      ASSERT_EQ(told.exit_code, 0) << plan << " on " << box << ": " << told.err;
      const auto summary = nlohmann::json::parse(told.out)["summary"][0];
      EXPECT_GT(summary["step_s"], 0);
      EXPECT_NE(summary["remarks"].dump().find("measured on another machine's cores"),
                std::string::npos)
          << summary["remarks"];
    }
}

// A table of whole stages would do, one of a GPU would not.
TEST(ShippedCpuPlans, NameTablesThatFit) {
  const TemporaryFolder folder;
  const ProgramRun refused =
      run_quintet({"simulate", "tiny-gpt-dp4", "--model", "tiny-gpt", "--topology", "box-4-1gbit",
                   "--set", "parallelism.compute_type=fp16"},
                  folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("has no measured time of"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--costs names another table"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("toy-pipeline"), std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("a100-sxm-80gb"), std::string::npos) << refused.err;
}

// Memory and what goes wrong with a plan have no price.
TEST(ShippedCpuPlans, AreCheckedByTablesThatLackTheirOperators) {
  const TemporaryFolder folder;
  const ProgramRun checked =
      run_quintet({"plan", "check", "tiny-gpt-dp4", "--model", "tiny-gpt", "--topology",
                   "box-4-1gbit", "--set", "parallelism.compute_type=fp16"},
                  folder.path());
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(checked.out.find("does not fit"), std::string::npos) << checked.out;
}

}  // namespace
}  // namespace quintet::test
