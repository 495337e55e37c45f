// `quintet run --shape --faults`: what is said, logged and drawn of it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

class FaultedTraining : public testing::Test {
 protected:
  void SetUp() override {
    write_small_model(folder_.path());
    std::ofstream(folder_.path() / "plan.json")
        << R"({"parallelism": {"data": 4, "sequence_length": 16, "compute_type": "fp32"}})";
  }

  ProgramRun run(const std::string& events, std::vector<std::string> more = {}) {
    std::ofstream(folder_.path() / "faults.json")
        << R"({"name": "test", "events": [)" + events + "]}";
    std::vector<std::string> words{"run",      "plan.json", "--model", "model.json", "--data",
                                   "text.txt", "--steps",   "6",       "--faults",   "faults.json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_quintet(words, folder_.path());
  }

  TemporaryFolder folder_;
};

const std::string late =
    R"({"what": "delay", "part": "host1/nic0", "by": "20 ms", "step": 3, "until_step": 5})";

TEST_F(FaultedTraining, NeedsLinksToDoItTo) {
  const ProgramRun refused = run(late);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--shape"), std::string::npos) << refused.err;
}

TEST_F(FaultedTraining, RefusesWhatIsNoLinkBeforeItStarts) {
  const ProgramRun misnamed =
      run(R"({"what": "fail", "part": "host9/nic0", "step": 1})", {"--shape", "box-4-1gbit"});
  EXPECT_EQ(misnamed.exit_code, 2);
  EXPECT_NE(misnamed.err.find("faults.json: host9/nic0 failed"), std::string::npos) << misnamed.err;
}

// All-reduces of four ranks pass the late cable there and back: its steps take 40 ms more.
TEST_F(FaultedTraining, SaysLogsAndDrawsWhatHappened) {
  const ProgramRun done =
      run(late + R"(, {"what": "slow", "rank": 2, "share": 0.5, "step": 4})",
          {"--shape", "box-4-1gbit", "--log", "log.jsonl", "--timeline", "timeline.json"});
  const bool not_here = done.err.find("this system does not let it") != std::string::npos ||
                        done.err.find("install iproute2") != std::string::npos;
  if (not_here) GTEST_SKIP() << done.err;
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.out.find("Fault: host1/nic0 later by 20 ms, "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("Fault: over: host1/nic0 later by 20 ms"), std::string::npos) << done.out;
  std::vector<double> steps;
  std::vector<std::string> events;
  std::ifstream log(folder_.path() / "log.jsonl");
  for (std::string line; std::getline(log, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record["record"] == "step") steps.push_back(record["step_s"]);
    if (record["record"] == "fault") events.push_back(record["what"]);
  }
  EXPECT_EQ(events.size(), 3u);
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_GT(steps[3], 0.040);  // step 4, all of which is late
  const auto timeline = read_chrome_trace(folder_.path() / "timeline.json");
  EXPECT_TRUE(timeline) << timeline.error().text();
  std::ifstream trace(folder_.path() / "timeline.json");
  const auto drawn = nlohmann::json::parse(trace);
  ASSERT_EQ(drawn["quintetEvents"].size(), 3u);
  EXPECT_EQ(drawn["quintetEvents"][0]["what"], "host1/nic0 later by 20 ms");
}

}  // namespace
}  // namespace quintet::test
