// quintet calibrate and the loop that begins with it as they are typed: in an emulated cluster,
// under mpirun, killed and started again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "sim/cost/file/cost_table_file.h"
#include "tests/support/run_program.h"
#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

std::string mpirun(int ranks) {
  return std::string("mpirun --oversubscribe") + (geteuid() == 0 ? " --allow-run-as-root" : "") +
         " -n " + std::to_string(ranks) + " ";
}

bool has_mpirun() {
  return std::system("command -v mpirun >/dev/null 2>&1") == 0;
}

bool has_namespaces() {
  return std::system("unshare --user --map-root-user --net true 2>/dev/null") == 0;
}

class WholeCalibration : public testing::Test {
 protected:
  std::string timings() const {
    std::ifstream file(folder_.path() / "costs.json.journal");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // A machine with room for two ranks.
  void write_host_of_two() const {
    const auto written = [this](const std::string& from, const std::string& what,
                                const std::string& instead, const std::string& name) {
      std::ifstream in(source("topologies/" + from));
      std::string text{std::istreambuf_iterator<char>(in), {}};
      text.replace(text.find(what), what.size(), instead);
      std::ofstream(folder_.path() / name) << text;
    };
    written("hosts/box-1gbit.json", "\"slots\": 1", "\"slots\": 2", "host.json");
    written("box-4-1gbit.json", "\"hosts/box-1gbit.json\",\n  \"hosts\": 4",
            "\"host.json\",\n  \"hosts\": 1", "one.json");
    written("box-4-1gbit.json", "\"hosts/box-1gbit.json\",\n  \"hosts\": 4",
            "\"" + source("topologies/hosts/box-1gbit.json") + "\",\n  \"hosts\": 2", "two.json");
  }
  CostTable table() const { return required(read_cost_table(folder_.path() / "costs.json")); }
  TemporaryFolder folder_;
};

constexpr const char* quick = " --without-operators --message-time 6 --busy -o costs.json";

// Two ranks on one machine, which is one host of the topology; both are asked, one writes.
TEST_F(WholeCalibration, TakesRanksFromTheEnvironmentUnderMpirun) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  write_host_of_two();
  const ProgramRun run =
      run_shell(mpirun(2) + "quintet calibrate --topology one.json" + quick, folder_.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CostTable made = table();
  ASSERT_TRUE(made.processors);
  ASSERT_FALSE(made.communication.messages.empty()) << run.err;
  EXPECT_FALSE(made.communication.messages[0].network);  // inside a host
  EXPECT_GT(made.communication.messages[0].points.size(), 5u);
  ASSERT_TRUE(made.communication.among);
  EXPECT_EQ(made.communication.among->ranks, 2);
  EXPECT_EQ(made.communication.among->hosts, 1);
  EXPECT_NE(made.source.find("operators"), 0u);
  EXPECT_EQ(made.not_measured.front(), "operators");
}

TEST_F(WholeCalibration, RefusesATopologyThatPutsTheRanksElsewhere) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  const ProgramRun run =
      run_shell(mpirun(2) + "quintet calibrate --topology box-4-1gbit" + quick, folder_.path());
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("quintet: --topology: 4 hosts in a box, 1 Gbit/s has ranks 0 and 1 on two "
                         "hosts, they were started on one machine"),
            std::string::npos)
      << run.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "costs.json"));
}

// Killed after some timings; the same command goes on from there, and the table it writes predicts.
TEST_F(WholeCalibration, InABoxGoesOnWhereItWasKilled) {
  if (!has_namespaces()) GTEST_SKIP() << "this user may make no namespaces (unshare --user --net)";
  const std::string command =
      std::string("quintet calibrate --topology box-4-1gbit --ranks 2") + quick;
  const ProgramRun killed = run_shell(
      "(" + command +
          " & calibration=$!; until [ $(cat costs.json.journal 2>/dev/null | wc -l) -ge 6 ]; do "
          "sleep 0.05; done; kill -9 $calibration; wait $calibration)",
      folder_.path());
  EXPECT_NE(killed.exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_.path() / "costs.json"));
  const std::string before = timings();
  const std::string whole = before.substr(0, before.rfind('\n') + 1);
  ASSERT_GE(std::count(whole.begin(), whole.end(), '\n'), 5);
  const ProgramRun run = run_shell(command, folder_.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(timings().starts_with(whole));
  const CostTable made = table();
  ASSERT_FALSE(made.communication.messages.empty());
  ASSERT_TRUE(made.communication.messages[0].network);
  EXPECT_EQ(made.communication.messages[0].network->rate, Bandwidth{125e6});
  // A megabyte over a gigabit takes 8.4 ms at best.
  EXPECT_GT(made.communication.messages[0].points.back().time.value, 8e-3);
}

// No table is there: the loop makes it, by the program that it is itself; then each plan is
// predicted, run and compared.
TEST_F(WholeCalibration, IsWhatALoopWithoutATableBeginsWith) {
  write_host_of_two();
  const ProgramRun run = run_shell(
      "quintet loop --model tiny-gpt --topology two.json --ranks 2 --sequences 4 --length 32 "
      "--steps 2 --warm-up 1 --time 3 --busy --costs costs.json --out loop",
      folder_.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(table().curves.empty());
  for (const std::string plan : {"data", "tensor", "pipeline", "zero3"}) {
    EXPECT_NE(run.out.find("tiny-gpt, " + plan + " "), std::string::npos) << run.out;
    for (const char* const made : {".predicted.json", ".measured.json"})
      EXPECT_TRUE(fs::exists(folder_.path() / "loop" / ("tiny-gpt-" + plan + made))) << plan;
  }
}

}  // namespace
}  // namespace quintet::test
