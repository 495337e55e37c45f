// quintet plan export and import, as a user calls them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

ProgramRun export_to(const World& world, const std::string& framework, const Arguments& more) {
  Arguments all{"plan",    "export",     "plan.json",  "--to",        framework,
                "--model", "model.json", "--topology", "machine.json"};
  all.insert(all.end(), more.begin(), more.end());
  return run_quintet(all, world.folder());
}

// What is not said of the plan is what differs when the file is read again.
TEST(Frameworks, ListWhatDiffersAfterReadingAgain) {
  const World world;
  for (const std::string framework : {"megatron", "torchtitan", "deepspeed", "nemo"}) {
    const ProgramRun made = export_to(world, framework, {"-o", "made"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const ProgramRun again = run_quintet({"plan", "import", "made", "--from", framework, "--model",
                                          "model.json", "--ranks", "8", "-o", "again.json"},
                                         world.folder());
    ASSERT_EQ(again.exit_code, 0) << again.err;
    const ProgramRun differs =
        run_quintet({"plan", "diff", "plan.json", "again.json"}, world.folder());
    const bool all_said = made.err.empty();
    EXPECT_EQ(differs.out == "They say the same.\n", all_said) << made.err << differs.out;
  }
}

TEST(Frameworks, RefuseBadFilesWithTheirLine) {
  const World world;
  world.write("a.sh", "x \\\n --micro-batch-size one");
  world.write("a.toml", "[training]\nseq_len = true\n");
  const ProgramRun script =
      run_quintet({"plan", "import", "a.sh", "--from", "megatron"}, world.folder());
  EXPECT_EQ(script.exit_code, 2);
  EXPECT_NE(script.err.find("a.sh:2: --micro-batch-size: expected a whole number, found \"one\""),
            std::string::npos)
      << script.err;
  const ProgramRun toml =
      run_quintet({"plan", "import", "a.toml", "--from", "torchtitan"}, world.folder());
  EXPECT_EQ(toml.exit_code, 2);
  EXPECT_NE(toml.err.find("a.toml:2: training.seq_len: expected a whole number, found \"true\""),
            std::string::npos)
      << toml.err;
}

TEST(Frameworks, AskForWhatIsMissing) {
  const World world;
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"plan", "export", "plan.json"}, "--to: is required for plan export"},
      {{"plan", "import", "plan.json"}, "--from: is required for plan import"},
      {{"plan", "import", "plan.json", "--from", "nemo", "--tensor", "2"},
       "is not for plan import, which takes one --sequence"},
      {{"plan", "import", "plan.json", "--from", "deepspeed", "--ranks", "8"},
       "does not say how long sequences are; give --sequence"},
      {{"plan", "import", "none.sh", "--from", "megatron"}, "none.sh"},
      {{"plan", "check", "plan.json", "--ranks", "8"}, "is for plan import, not for plan check"}};
  for (const auto& [arguments, part] : cases) {
    const ProgramRun run = run_quintet(arguments, world.folder());
    EXPECT_EQ(run.exit_code, 2) << part;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace quintet::test
