// bash completes what the program accepts.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/command/world.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

// What bash offers for the last of the words.
std::vector<std::string> offered(const World& world, const std::string& words) {
  const ProgramRun run = run_shell("eval \"$(quintet completion)\"; COMP_WORDS=(" + words +
                                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _quintet; "
                                       "printf '%s\\n' \"${COMPREPLY[@]}\"",
                                   world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  std::vector<std::string> words_offered;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) words_offered.push_back(line);
  return words_offered;
}

using Words = std::vector<std::string>;

TEST(Completion, KnowsTheVerbs) {
  const World world;
  EXPECT_EQ(offered(world, "quintet sim"), Words{"simulate"});
  EXPECT_EQ(offered(world, "quintet ''"),
            (Words{"simulate", "plan", "compare", "topology", "validate", "schema", "completion",
                   "calibrate", "fit", "loop", "run", "--help", "--version"}));
}

TEST(Completion, KnowsTheOptionsOfTheVerb) {
  const World world;
  EXPECT_EQ(offered(world, "quintet simulate --tr"), (Words{"--trace", "--trace-ranks"}));
  EXPECT_EQ(offered(world, "quintet simulate --m"),
            (Words{"--model", "--memory", "--micro-batch", "--mbs", "--micro-batches"}));
  EXPECT_EQ(offered(world, "quintet topology --tr"), Words{});
  EXPECT_EQ(offered(world, "quintet topology --pa"), Words{"--path"});
}

TEST(Completion, KnowsTheShippedFiles) {
  const World world;
  EXPECT_EQ(offered(world, "quintet simulate toy-pipeline-w"), Words{"toy-pipeline-warm-up"});
  EXPECT_EQ(offered(world, "quintet simulate x --model llama-3-7"), Words{"llama-3-70b"});
  EXPECT_EQ(offered(world, "quintet simulate x --topology pipeline-4-1"), Words{"pipeline-4-10ms"});
  EXPECT_EQ(offered(world, "quintet simulate x --costs h200"), Words{"h200-sxm-141gb"});
  EXPECT_EQ(offered(world, "quintet simulate x --stack nemo-"), Words{"nemo-2022"});
  EXPECT_EQ(offered(world, "quintet topology dgx-a"), (Words{"dgx-a100", "dgx-a100-1"}));
}

TEST(Completion, OffersFilesOfTheFolderToo) {
  const World world;
  EXPECT_EQ(offered(world, "quintet simulate pla"), Words{"plan.json"});
  EXPECT_EQ(offered(world, "quintet simulate x --model mod"), Words{"model.json"});
  EXPECT_EQ(offered(world, "quintet simulate x --trace mac"), Words{"machine.json"});
}

TEST(Completion, DoesNotSplitAFileNameAtItsBlank) {
  const World world;
  world.write("my plan.json", "{}");
  EXPECT_EQ(offered(world, "quintet simulate my"), Words{"my plan.json"});
}

}  // namespace
}  // namespace quintet::test
