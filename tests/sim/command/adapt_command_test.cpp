// What is said of plans for links that are late: `quintet plan adapt`, `quintet simulate --adapt`.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

std::vector<std::string> toy(const std::string& verb, const std::string& action) {
  std::vector<std::string> words{verb};
  if (!action.empty()) words.push_back(action);
  const std::vector<std::string> rest{"toy-pipeline-warm-up", "--model",    "toy-pipeline",
                                      "--topology",           "pipeline-4", "--costs",
                                      "toy-pipeline"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

ProgramRun run(std::vector<std::string> words, const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  words.insert(words.end(), more.begin(), more.end());
  return run_quintet(words, folder.path());
}

TEST(AdaptCommand, TellsCandidatesAndTheFastest) {
  const ProgramRun told = run(toy("plan", "adapt"), {"--delay", "stage2-stage3=40ms"});
  EXPECT_EQ(0, told.exit_code) << told.err;
  EXPECT_NE(std::string::npos, told.out.find("messages between stages 2 and 3 are 40.0 ms late"))
      << told.out;
  EXPECT_NE(std::string::npos, told.out.find("taken")) << told.out;
}

TEST(AdaptCommand, NeedsLinksBetweenStages) {
  const ProgramRun refused = run({"plan", "adapt", "tiny-gpt-dp4", "--model", "tiny-gpt",
                                  "--topology", "box-4-1gbit", "--costs", "cpu-core"},
                                 {});
  EXPECT_EQ(2, refused.exit_code);
  EXPECT_NE(std::string::npos, refused.err.find("parallelism.pipeline: is 1")) << refused.err;
  EXPECT_NE(std::string::npos, refused.err.find("use 2 or more")) << refused.err;
}

TEST(AdaptCommand, IsOfRunsWithFaults) {
  const ProgramRun refused = run(toy("simulate", ""), {"--adapt"});
  EXPECT_EQ(2, refused.exit_code);
  EXPECT_NE(std::string::npos, refused.err.find("--adapt: is for runs of many steps"))
      << refused.err;
}

// 40 ms from step 2 to 5: two steps are believed, and the sixth and seventh that all is well.
TEST(AdaptCommand, NamesThePlanOfEachStep) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "faults.json")
      << R"({"name": "late", "events": [{"what": "delay", "part": "stage2-stage3", "by": "40 ms",
             "step": 2, "until_step": 6}]})";
  std::vector<std::string> words = toy("simulate", "");
  for (const char* const word : {"--faults", "faults.json", "--steps", "9", "--adapt", "--json"})
    words.push_back(word);
  const ProgramRun told = run_quintet(words, folder.path());
  ASSERT_EQ(0, told.exit_code) << told.err;
  std::vector<std::string> plans;
  const nlohmann::json answer = nlohmann::json::parse(told.out);
  for (const auto& rows : answer["runs"][0]["steps"])
    for (int step = rows["first"]; step <= rows["last"]; ++step) plans.push_back(rows["plan"]);
  ASSERT_EQ(9U, plans.size());
  const std::string home = "toy-pipeline-warm-up";
  for (std::size_t step = 1; step <= 9; ++step)
    EXPECT_EQ(step <= 3 || step >= 8, plans[step - 1] == home) << step << plans[step - 1];
}

}  // namespace
}  // namespace quintet::test
