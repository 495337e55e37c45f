#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

std::string mpirun() {
  return std::string("mpirun --oversubscribe") + (geteuid() == 0 ? " --allow-run-as-root" : "");
}

constexpr const char* command =
    "quintet run tiny-gpt-zero3 --model tiny-gpt --data the-valley "
    "--steps 2 --log log.jsonl";

class UnderMpirun : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v mpirun >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  }
  TemporaryFolder folder_;
};

TEST_F(UnderMpirun, TakesRanksFromTheEnvironment) {
  const ProgramRun run = run_shell(mpirun() + " -n 4 " + command, folder_.path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("step 2/2"), std::string::npos) << run.out;
  const TrainingRun log = read_log(folder_.path() / "log.jsonl");
  EXPECT_EQ(log.steps, (std::vector<int>{1, 2}));
}

TEST_F(UnderMpirun, RefusesAnotherNumberOfRanksThanThePlans) {
  const ProgramRun run = run_shell(mpirun() + " -n 2 " + command, folder_.path());
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("tiny-gpt-zero3"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("quintet: rank 0: mpirun or srun: 2 ranks"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("start 4 or another plan"), std::string::npos) << run.err;
}

TEST_F(UnderMpirun, MakesNoBox) {
  const ProgramRun run =
      run_shell(mpirun() + " -n 4 " + command + " --shape box-4-1gbit", folder_.path());
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("--shape: starts the ranks itself"), std::string::npos) << run.err;
}

TEST_F(UnderMpirun, UsesATokenAndAPlaceThatAreGiven) {
  const ProgramRun run =
      run_shell("(umask 077; echo 0123456789abcdef0123456789abcdef >token); " + mpirun() +
                    " -n 4 " + command + " --rendezvous $PWD/place --token-file $PWD/token",
                folder_.path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "place"));
  EXPECT_TRUE(fs::exists(folder_.path() / "token"));
}

// Each rank has another token: nobody is let in.
TEST_F(UnderMpirun, LetsNobodyInWithAWrongToken) {
  const ProgramRun run = run_shell(
      mpirun() + " -n 4 sh -c 'QUINTET_TOKEN=0123456789abcdef$OMPI_COMM_WORLD_RANK exec " +
          command + " --rendezvous '$PWD'/place'",
      folder_.path());
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("token"), std::string::npos) << run.err;
  EXPECT_TRUE(read_log(folder_.path() / "log.jsonl").steps.empty());
}

}  // namespace
}  // namespace quintet::test
