// `quintet run --shape`: the plan's ranks on the topology's hosts.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

// The first record of the log.
nlohmann::json header(const std::filesystem::path& folder) {
  std::ifstream log(folder / "log.jsonl");
  std::string line;
  std::getline(log, line);
  return nlohmann::json::parse(line, nullptr, false);
}

// Skips where this system allows no emulated cluster.
class ShapedRun : public testing::Test {
 protected:
  void SetUp() override {
    write_small_model(folder_.path());
    run({});
    const bool not_here = last_.err.find("this system does not let it") != std::string::npos ||
                          last_.err.find("install iproute2") != std::string::npos;
    if (not_here) GTEST_SKIP() << last_.err;
    ASSERT_EQ(last_.exit_code, 0) << last_.err;
  }

  void run(const std::vector<int>& placement) {
    const nlohmann::json plan{
        {"parallelism", {{"data", 4}, {"sequence_length", 16}, {"compute_type", "fp32"}}},
        {"intra_inter", {{"placement", placement}}}};
    std::ofstream(folder_.path() / "plan.json") << plan.dump();
    last_ = run_quintet({"run", "plan.json", "--model", "model.json", "--data", "text.txt",
                         "--steps", "1", "--log", "log.jsonl", "--shape", "box-4-1gbit"},
                        folder_.path());
  }

  TemporaryFolder folder_;
  ProgramRun last_;
};

// Rank 0 writes the log, and with it the name of its host: slot 2 is the only one of host 2.
TEST_F(ShapedRun, PutsRanksWhereThePlanPlacesThem) {
  EXPECT_EQ(header(folder_.path())["machine"]["host"], "host0");
  run({2, 1, 0, 3});
  ASSERT_EQ(last_.exit_code, 0) << last_.err;
  EXPECT_EQ(header(folder_.path())["machine"]["host"], "host2");
}

// What the emulated cluster says of itself is part of the record, not only of the screen.
TEST_F(ShapedRun, LogsWhatTheBoxDoesOtherwise) {
  const nlohmann::json inside{{"decision", "network"},
                              {"asked", "4 hosts in a box, 1 Gbit/s"},
                              {"done", "inside hosts, links and memory have this machine's speed"}};
  const nlohmann::json listed = header(folder_.path())["not_obeyed"];
  EXPECT_EQ(std::count(listed.begin(), listed.end(), inside), 1) << listed.dump(1);
}

}  // namespace
}  // namespace quintet::test
