// Verbs, options and values that the command line cannot mean.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

void nothing(const World&) {}

const std::vector<BadInput>& rows() {
  static const std::vector<BadInput> all{
      {"NoVerb", nothing, {"no verb", "simulate", "topology", "quintet --help"}, {}},
      {"MisspeltVerb",
       nothing,
       {"\"simulat\"", "no verb", "did you mean \"simulate\""},
       {"simulat", "plan.json", "--model", "model.json"}},
      {"VerbFarFromAny", nothing, {"\"frobnicate\"", "simulate", "topology"}, {"frobnicate"}},
      {"MisspeltOption",
       nothing,
       {"\"--modle\"", "unknown", "did you mean \"--model\"", "quintet simulate --help"},
       {"simulate", "plan.json", "--modle", "model.json", "--topology", "machine.json"}},
      {"MisspeltOptionWithValue",
       nothing,
       {"\"--topolgy\"", "unknown", "did you mean \"--topology\""},
       {"simulate", "plan.json", "--model", "model.json", "--topolgy=machine.json"}},
      {"OptionOfAnotherVerb",
       nothing,
       {"\"--trace\"", "unknown", "quintet topology --help"},
       {"topology", "machine.json", "--trace", "x.json"}},
      {"UnknownShortOption",
       nothing,
       {"\"-x\"", "unknown", "quintet simulate --help"},
       on_machine({"-x"})},
      {"UnknownOptionBeforeTheVerb",
       nothing,
       {"\"--verbos\"", "unknown", "quintet --help"},
       {"--verbos", "simulate"}},
      {"MissingModel",
       nothing,
       {"--model is required: Hugging Face config.json", "quintet simulate --help"},
       {"simulate", "plan.json", "--topology", "machine.json"}},
      {"MissingPlan",
       nothing,
       {"plans", "required"},
       {"simulate", "--model", "model.json", "--topology", "machine.json"}},
      {"MissingValue",
       nothing,
       {"--topology: expected FILE, found nothing", "quintet simulate --help"},
       {"simulate", "plan.json", "--model", "model.json", "--topology"}},
      {"ZeroHosts", nothing, {"--hosts", "1 to 131072", "0"}, on_machine({"--hosts", "0"})},
      {"NegativeHosts", nothing, {"--hosts", "1 to 131072", "-5"}, on_machine({"--hosts", "-5"})},
      {"BillionHosts", nothing, {"--hosts", "1 to 131072", "1e9"}, on_machine({"--hosts", "1e9"})},
      {"HostsThatOverflow",
       nothing,
       {"--hosts", "1 to 131072", "99999999999999999999"},
       on_machine({"--hosts", "99999999999999999999"})},
      {"HostsAsAWord",
       nothing,
       {"--hosts", "1 to 131072", "many"},
       on_machine({"--hosts", "many"})},
      {"HostsOfAnExplicitGraph",
       nothing,
       {"chain.json", "hosts", "cannot be overridden"},
       {"topology", "chain.json", "--hosts", "8"}},
      {"PathFromUnknownDevice",
       nothing,
       {"--path", "host9/gpu9", "no device", "host0/gpu0"},
       {"topology", "machine.json", "--path", "host9/gpu9", "host0/gpu0"}},
      {"PathToNowhere",
       nothing,
       {"--path: expected 2 values, found 1", "quintet topology --help"},
       {"topology", "machine.json", "--path", "host0/gpu0"}},
      {"TopologyForgotten", nothing, {"topology", "required"}, {"topology"}},
      {"TraceIntoNoDirectory",
       nothing,
       {"--trace", "nowhere/step.json", "no such directory"},
       on_machine({"--trace", "nowhere/step.json"})},
      {"TraceOntoADirectory",
       nothing,
       {"--trace", "hosts", "is a directory", "file"},
       on_machine({"--trace", "hosts"})},
      {"FractionOfAThread",
       nothing,
       {"--threads", "1 to 1024", "\"1.5\""},
       {"validate", "rows.csv", "--threads", "1.5"}},
      {"PercentAsAWord",
       nothing,
       {"--within: expected 0 or more, found \"5%\"", "quintet compare --help"},
       {"compare", "a.json", "b.json", "--within", "5%"}},
      {"PageIntoNoDirectory",
       nothing,
       {"--html nowhere/page.html", "no such directory"},
       {"compare", "a.json", "b.json", "--html", "nowhere/page.html"}},
      {"ScoreboardIntoNoPage",
       nothing,
       {"plan.json", "<!-- scoreboard -->"},
       {"validate", "rows.csv", "--markdown", "plan.json"}},
      {"NameOfNothing",
       nothing,
       {"--trace: expected FILE, found nothing", "quintet simulate --help"},
       on_machine({"--trace", ""})},
      {"ModelOfNothing",
       nothing,
       {"--model: expected FILE, found nothing"},
       {"simulate", "plan.json", "--model", "", "--topology", "machine.json"}},
      {"TwiceTheHosts",
       nothing,
       {"--hosts: is given 2 times; give it once"},
       on_machine({"--hosts", "1", "--hosts", "1"})},
      {"NumberOfNothing",
       nothing,
       {"--threads: expected 1 to 1024, found nothing"},
       on_machine({"--threads="})},
      {"FlagWithAValue",
       nothing,
       {"--memory: takes no value, found \"many\""},
       on_machine({"--memory=many"})},
      {"WordOfAClosedSet",
       nothing,
       {"kind: expected one of plan, topology, costs, prices", "did you mean \"plan\""},
       {"schema", "plans"}},
      {"VerbOfNothing", nothing, {"no verb given; there are simulate"}, {"--"}},
      {"TraceOntoThePlan",
       nothing,
       {"--trace plan.json", "would be lost", "name another"},
       on_machine({"--trace", "plan.json"})},
      {"PageOntoTheMachine",
       nothing,
       {"--html ./machine.json", "would be lost"},
       on_machine({"--html", "./machine.json"})},
      {"ExportOntoTheMachine",
       nothing,
       {"--export machine.json", "would be lost"},
       {"topology", "machine.json", "--export", "machine.json"}},
      {"PageAndTraceInOne",
       nothing,
       {"--html x.json", "is what --trace writes"},
       on_machine({"--trace", "x.json", "--html", "x.json"})},
      {"TraceWhereNothingCanBe",
       nothing,
       {"--trace /proc/x.json", "cannot be written", "name another place"},
       on_machine({"--trace", "/proc/x.json"})},
      {"TooManyWords",
       nothing,
       {"not expected: twice", "quintet topology --help"},
       {"topology", "machine.json", "twice"}},
  };
  return all;
}

class BadUsage : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadUsage, IsRefusedWithARemedy) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Command, BadUsage, ::testing::ValuesIn(rows()),
                         name_of_input<::testing::TestParamInfo<BadInput>>);

// The prediction was made and shown; only then does the disk turn out to be full. Through a link,
// so that a program which replaces what it should write to spoils the link and not the device.
TEST(FullDisk, IsReportedForTheTrace) {
  const World world;
  std::filesystem::create_symlink("/dev/full", world.folder() / "full.json");
  const ProgramRun run = run_quintet(on_machine({"--trace", "full.json"}), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("full.json"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("No space left"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("Trace of"), std::string::npos) << run.err;
}

TEST(FullDisk, IsReportedForTheReport) {
  const World world;
  for (const char* const line :
       {"quintet simulate plan.json --model model.json --topology machine.json >/dev/full",
        "quintet topology machine.json >/dev/full", "quintet completion >/dev/full",
        "quintet --help >/dev/full"}) {
    const ProgramRun run = run_shell(line, world.folder());
    EXPECT_EQ(run.exit_code, 2) << line;
    EXPECT_NE(run.err.find("standard output"), std::string::npos) << line << "\n" << run.err;
  }
}

}  // namespace
}  // namespace quintet::test
