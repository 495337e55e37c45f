// Runs of many steps on the command line: steps that are not all alike, evaluations, faults that
// never come, and what is said of all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

ProgramRun run_in(const TemporaryFolder& folder, Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return run_quintet(words, folder.path());
}

// 8 replicas over 1 Gbit/s that exchange their weights in the last of every 100 steps.
const Words diloco_words{"simulate",
                         "-q",
                         "olmo-2-1b-full",
                         "--model",
                         "olmo-2-1b",
                         "--topology",
                         "leonardo-a100",
                         "--stack",
                         "huggingface",
                         "--hosts",
                         "2",
                         "--set",
                         "parallelism.data=8",
                         "--set",
                         "parallelism.micro_batches=1",
                         "--set",
                         "parallelism.replicator.kind=diloco",
                         "--set",
                         "parallelism.replicator.every=100",
                         "--set",
                         "host.nic.bandwidth=1Gbps"};

Json summary_of(const Words& words, const Words& more) {
  const TemporaryFolder folder;
  Words all = more;
  all.push_back("--json");
  const ProgramRun told = run_in(folder, words, all);
  EXPECT_EQ(told.exit_code, 0) << told.err;
  const Json answer = Json::parse(told.out, nullptr, false);
  return answer.is_object() ? answer["summary"][0] : Json{};
}

// 1,000 steps are 10 exchanges and 990 steps without; 1,099 are no exchange more.
TEST(PeriodicRun, TakesEachStepAsItIs) {
  for (const auto& [steps, exchanges] : {std::pair{1000, 10}, std::pair{1099, 10}}) {
    const Json told = summary_of(diloco_words, {"--steps", std::to_string(steps)});
    const double with = told["step_s"], between = told["steps"]["between_s"];
    EXPECT_EQ(told["steps"]["every"], 100);
    EXPECT_GT(with, 50 * between);
    const double expected = exchanges * with + (steps - exchanges) * between;
    EXPECT_NEAR(told["run"]["time_s"].get<double>(), expected, 1e-9 * expected);
  }
}

// Tokens of a step over the mean step; and as much energy and rent as 99 : 1 of both.
TEST(PeriodicRun, HasTheSpeedOfItsMeanStep) {
  const Json told = summary_of(diloco_words, {"--steps", "100"});
  const double mean = told["steps"]["mean_s"];
  EXPECT_NEAR(told["tokens_per_s"].get<double>(), told["tokens_per_step"].get<double>() / mean,
              1e-6 * told["tokens_per_s"].get<double>());
  const double energy = told["energy_per_step_j"];
  EXPECT_NEAR(told["run"]["energy_j"].get<double>(), 100 * energy, 1e-9 * 100 * energy);
  EXPECT_NEAR(told["run"]["time_s"].get<double>(), 100 * mean, 1e-9 * 100 * mean);
}

// A step trains 8 x 64 samples or so: more often than after each step nobody can evaluate.
TEST(Evaluations, AreOnePerStepAtMost) {
  Words words = diloco_words;
  words.insert(words.end(), {"--set", "run.evaluation.every=1", "--set",
                             "run.evaluation.samples=64", "--steps", "1000"});
  const Json told = summary_of(words, {});
  EXPECT_EQ(told["run"]["evaluations"], 1000);
  ASSERT_FALSE(told["remarks"].empty());
  EXPECT_NE(told["remarks"][0].get<std::string>().find("run.evaluation.every (1) is below the"),
            std::string::npos)
      << told["remarks"];
}

const Words toy_words{"simulate",   "-q",           "toy-pipeline-warm-up",
                      "--model",    "toy-pipeline", "--topology",
                      "pipeline-4", "--costs",      "toy-pipeline"};

void write_faults(const TemporaryFolder& folder, const std::string& events) {
  std::ofstream(folder.path() / "faults.json") << R"({"name": "f", "events": [)" << events << "]}";
}

// Step 3 of 3 alone has the exchange, as with --steps alone.
TEST(FaultedRuns, HaveTheExchangeInTheStepsThatHaveIt) {
  const TemporaryFolder folder;
  write_faults(folder, "");
  Words words = diloco_words;
  words.insert(words.end(), {"--set", "parallelism.replicator.every=3", "--faults", "faults.json",
                             "--steps", "7", "--json"});
  std::erase(words, "parallelism.replicator.every=100");
  words.erase(std::find(words.begin(), words.end(), "parallelism.replicator.kind=diloco") + 1);
  const ProgramRun told = run_quintet(words, folder.path());
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const Json answer = Json::parse(told.out)["runs"][0];
  std::vector<double> times;
  for (const Json& rows : answer["steps"])
    for (int step = rows["first"]; step <= rows["last"]; ++step) times.push_back(rows["step_s"]);
  ASSERT_EQ(times.size(), 7u);
  const double with = answer["usual_step_s"], between = answer["usual_step_between_s"];
  EXPECT_GT(with, 2 * between);
  for (std::size_t step = 1; step <= times.size(); ++step)
    EXPECT_EQ(times[step - 1], step % 3 == 0 ? with : between) << step;
  EXPECT_EQ(answer["walks"], 2);
}

// A step is 12 samples of the toy pipeline: 25 samples are 3 steps.
TEST(FaultedRuns, TakeSamplesAndTokensAsSteps) {
  const TemporaryFolder folder;
  write_faults(folder, R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "step": 2})");
  for (const auto& [option, count] : {std::pair{"--samples", "25"}, std::pair{"--steps", "3"}}) {
    const ProgramRun told = run_in(folder, toy_words, {"--faults", "faults.json", option, count});
    EXPECT_EQ(told.exit_code, 0) << told.err;
    EXPECT_NE(told.out.find("\n3 steps in "), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("simulated: 2 kinds of step"), std::string::npos) << told.out;
  }
  const ProgramRun far =
      run_in(folder, toy_words, {"--faults", "faults.json", "--samples", "1e12"});
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_NE(far.err.find("--samples: with --faults a run has up to 1000000 steps"),
            std::string::npos)
      << far.err;
}

TEST(FaultedRuns, SayWhatTheyHaveNoPlaceFor) {
  const TemporaryFolder folder;
  write_faults(folder, "");
  for (const auto& [more, why] :
       {std::pair{Words{"--money"}, "--money: knows the power of one step"},
        std::pair{Words{"-o", "plan.json"}, "--output: writes the fastest of several plans"},
        std::pair{Words{"--memory"}, "--memory: tells what a plan keeps"},
        std::pair{Words{"--trace", "t.json"}, "--trace: draws one step"}}) {
    Words all{"--faults", "faults.json"};
    all.insert(all.end(), more.begin(), more.end());
    const ProgramRun refused = run_in(folder, toy_words, all);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find(why), std::string::npos) << refused.err;
  }
}

TEST(FaultedRuns, SayWhatNeverComes) {
  const TemporaryFolder folder;
  write_faults(folder, R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "step": 25})");
  const ProgramRun late = run_in(folder, toy_words, {"--faults", "faults.json", "--steps", "8"});
  EXPECT_EQ(late.exit_code, 0);
  EXPECT_NE(late.err.find("events[0] is at step 25; the run ends at step 8"), std::string::npos)
      << late.err;
  const ProgramRun json =
      run_in(folder, toy_words, {"--faults", "faults.json", "--steps", "8", "--json"});
  EXPECT_EQ(Json::parse(json.out)["runs"][0]["remarks"],
            Json::array({"events[0] is at step 25; the run ends at step 8"}));
  write_faults(folder,
               R"({"what": "delay", "part": "stage0-stage1", "by": "10 ms", "time": "9 s"})");
  // 8 steps of 390 ms.
  EXPECT_NE(
      run_in(folder, toy_words, {"--faults", "faults.json", "--steps", "8"})
          .err.find("events[0] is 9 s after the first step begins; the run ends after 3.12 s"),
      std::string::npos);
  write_faults(folder, "");
  EXPECT_NE(run_in(folder, toy_words, {"--faults", "faults.json", "--steps", "8"})
                .err.find("events is empty: nothing goes wrong"),
            std::string::npos);
}

// What is wrong with the faults is said before what is wrong with the costs.
TEST(FaultedRuns, ReadTheirFaultsFirst) {
  const TemporaryFolder folder;
  write_faults(folder, R"({"what": "melt", "part": "host0", "step": 2})");
  Words words = toy_words;
  words.back() = "no-such-table";
  const ProgramRun refused = run_in(folder, words, {"--faults", "faults.json"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("faults.json: events[0].what"), std::string::npos) << refused.err;
}

TEST(FaultedRuns, RoundTimesForPeople) {
  const TemporaryFolder folder;
  write_faults(folder, R"({"what": "fail", "part": "stage1-stage2", "step": 3})");
  const ProgramRun told =
      run_in(folder, toy_words, {"--faults", "faults.json", "--deadline", "0.3"});
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_NE(told.out.find("the deadline of 300 ms"), std::string::npos) << told.out;
  EXPECT_EQ(told.out.find("999"), std::string::npos) << told.out;
}

// One formatter for all: 0.1 days are said as hours or minutes, whatever was asked for.
TEST(Runs, AreToldInTheUnitThatSuitsThem) {
  const TemporaryFolder folder;
  const Words short_run{"--tokens", "1e6"};
  const ProgramRun told = run_in(folder, diloco_words, short_run);
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(told.out.find(" days"), std::string::npos) << told.out;
  EXPECT_EQ(told.out.find(" 0 MWh"), std::string::npos) << told.out;
  EXPECT_EQ(told.out.find("1 steps"), std::string::npos) << told.out;
}

}  // namespace
}  // namespace quintet::test
