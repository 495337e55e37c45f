// bash completes what the program accepts. (tests/package/shells.py types at real shells.)
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
            (Words{"simulate", "search", "sweep", "jobs", "plan", "compare", "topology", "validate",
                   "schema", "list", "completion", "help", "calibrate", "fit", "gui", "loop", "replay",
                   "run",
                   "--help", "--version"}));
}

TEST(Completion, KnowsTheOptionsOfTheVerb) {
  const World world;
  EXPECT_EQ(offered(world, "quintet simulate --tr"), (Words{"--trace", "--trace-ranks"}));
  EXPECT_EQ(offered(world, "quintet simulate --m"),
            (Words{"--model", "--memory", "--money", "--micro-batch", "--mbs", "--micro-batches"}));
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

// Readline has only what stands behind the '=': bash is told no more.
TEST(Completion, KnowsFieldsAndTheirWords) {
  const World world;
  EXPECT_EQ(offered(world, "quintet simulate --set parallelism.sch"),
            Words{"parallelism.schedule="});
  EXPECT_EQ(offered(world, "quintet simulate --set parallelism.schedule=zb"),
            (Words{"zb-h1", "zb-h2"}));
  EXPECT_EQ(offered(world, "quintet simulate --set parallelism.schedule=gpipe,1"),
            Words{"gpipe,1f1b"});
  EXPECT_EQ(offered(world, "quintet simulate --set network.rout"), Words{"network.routing="});
  EXPECT_EQ(offered(world, "quintet simulate --set network.oversub"),
            Words{"network.oversubscription="});
  EXPECT_EQ(offered(world, "quintet simulate --set costs.launch.e"),
            (Words{"costs.launch.eager=", "costs.launch.evidence="}));
  EXPECT_EQ(offered(world, "quintet simulate --set parallelism.sequence_parallel=t"),
            Words{"true"});
  EXPECT_EQ(offered(world, "quintet simulate --sharding opt"), Words{"optimizer"});
  EXPECT_EQ(offered(world, "quintet simulate --recompute none,f"), Words{"none,full"});
}

TEST(Completion, KnowsWhatStandsAtAPlace) {
  const World world;
  EXPECT_EQ(offered(world, "quintet plan ex"), (Words{"explain", "export"}));
  EXPECT_EQ(offered(world, "quintet plan explain tiny-gpt-o"), Words{"tiny-gpt-one"});
  EXPECT_EQ(offered(world, "quintet plan --model gpt2 ex"), (Words{"explain", "export"}));
  EXPECT_EQ(offered(world, "quintet plan fields par"), Words{"parallelism"});
  EXPECT_EQ(offered(world, "quintet completion z"), Words{"zsh"});
  EXPECT_EQ(offered(world, "quintet schema cos"), Words{"costs"});
  EXPECT_EQ(offered(world, "quintet help val"), Words{"validate"});
  EXPECT_EQ(offered(world, "quintet nothing x"), Words{});
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
