// What is said of plans for links that are late: `quintet plan adapt`, `quintet simulate --adapt`.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

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

// Eight tensor ranks a stage, two stages, eight micro-batches.
class TensorStages : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "plan.json")
        << R"({"parallelism": {"tensor": 8, "pipeline": 2, "sequence_length": 4096,
               "micro_batches": 8, "sequence_parallel": true}})";
  }
  std::string out(std::vector<std::string> words) {
    for (const char* const word :
         {"--model", "llama-3-8b", "--topology", "dgx-h100", "--hosts", "2"})
      words.emplace_back(word);
    const ProgramRun told = run_quintet(words, folder_.path());
    EXPECT_EQ(0, told.exit_code) << told.err;
    return told.out;
  }
  Json file(const std::string& name) { return Json::parse(std::ifstream(folder_.path() / name)); }
  double step(const std::string& plan, const std::string& hold) {
    const Json answer = Json::parse(out({"simulate", plan, "--hold", hold, "--json"}));
    return 1e3 * answer["summary"][0]["step_s"].get<double>();
  }

  TemporaryFolder folder_;
};

// The number before " ms" that follows these words.
double milliseconds_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  EXPECT_NE(std::string::npos, at) << words << " in " << text;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + words.size()));
}

// The plan as it is takes as long among the candidates as the step that it is compared with, and
// what is written as long as was said of it.
TEST_F(TensorStages, ArePricedAsTheirStepIs) {
  const std::string hold = "host0-host1=10ms";
  const std::string told = out({"plan", "adapt", "plan.json", "--hold", hold, "-o", "ad.json"});
  const double now = milliseconds_after(told, "is well, ");
  EXPECT_EQ(now, milliseconds_after(told, "as planned"));
  EXPECT_NEAR(now, step("plan.json", hold), 0.051);  // one decimal is printed
  const double written = step("ad.json", hold);
  EXPECT_LE(written, now + 0.051);
  const std::size_t taken = told.find("  taken");
  ASSERT_NE(std::string::npos, taken) << told;
  const std::size_t row = told.rfind('\n', taken) + 1;
  const std::size_t number = told.find_last_of(' ', taken - 4);
  EXPECT_NEAR(written, std::stod(told.substr(number)), 0.051) << told.substr(row);
}

// A rank does its eight micro-batches one after the other: their times are no more than the step.
// The longer stage waits for one micro-batch's passes of the other and then never again, so that
// nine of its own are about the step; a tenth is left for the shorter stage and the optimizer.
TEST_F(TensorStages, AreReadOffAStepAsLongAsTheyAre) {
  const std::string told =
      out({"plan", "adapt", "plan.json", "--hold", "host0-host1=10ms", "-o", "ad.json"});
  const double well = milliseconds_after(told, "a step of the plan: ");
  const Json times = file("ad.json")["parallelism"]["stage_times"];
  ASSERT_EQ(2U, times.size());
  double longest = 0;
  for (const Json& stage : times) {
    double micro_batch = 0;
    for (const char* const part : {"forward", "input_gradient", "weight_gradient"})
      micro_batch += std::stod(stage[part].get<std::string>());
    longest = std::max(longest, micro_batch);
  }
  EXPECT_LT(8 * longest, well);
  EXPECT_GT(9 * longest, 0.9 * well);
}

// One of eight: all ranks of its stage wait for it.
TEST_F(TensorStages, AreAsLateAsTheLatestOfTheirRanks) {
  const std::string told = out({"plan", "adapt", "plan.json", "--delay", "host0/nic3=10ms"});
  EXPECT_NEAR(10, milliseconds_after(told, "messages between stages 0 and 1 are "), 0.1);
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
