// Help has examples, and the examples work.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/command/world.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> examples;
  for (const std::string& line : lines_of(help))
    if (line.starts_with("  quintet ")) examples.push_back(line.substr(2));
  return examples;
}

class HelpOf : public ::testing::TestWithParam<const char*> {};

TEST_P(HelpOf, HasExamplesThatWork) {
  const World world;
  const ProgramRun help =
      run_shell(std::string("quintet ") + GetParam() + " --help", world.folder());
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  const std::vector<std::string> examples = examples_in(help.out);
  EXPECT_FALSE(examples.empty()) << help.out;
  for (const std::string& example : examples) {
    const ProgramRun run = run_shell(example, world.folder());
    EXPECT_EQ(run.exit_code, 0) << example << "\n" << run.err;
    EXPECT_NE(run.out, "") << example;
  }
}

INSTANTIATE_TEST_SUITE_P(Command, HelpOf,
                         ::testing::Values("", "simulate", "plan", "topology", "schema", "list",
                                           "completion", "help"),
                         [](const auto& verb) {
                           return *verb.param ? std::string(verb.param) : std::string("quintet");
                         });

TEST(Help, ListsEveryVerbOnALineOfItsOwn) {
  const World world;
  const ProgramRun help = run_quintet({"--help"}, world.folder());
  for (const char* const verb :
       {"simulate", "plan", "compare", "topology", "schema", "list", "completion", "help"}) {
    int found = 0;
    for (const std::string& line : lines_of(help.out))
      if (line.starts_with(std::string("  ") + verb + "  ")) ++found;
    EXPECT_EQ(found, 1) << verb << "\n" << help.out;
  }
}

TEST(Version, IsThatOfTheProject) {
  const World world;
  const ProgramRun run = run_quintet({"--version"}, world.folder());
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out.substr(0, run.out.find('\n')), "quintet " QUINTET_VERSION);
  for (const char* const part : {"\ncommit ", "\nbuild ", "CUDA", "NCCL", "UCX", "oneDNN"})
    EXPECT_NE(run.out.find(part), std::string::npos) << run.out;
}

TEST(Help, OfAVerbIsThatOfItsOption) {
  const World world;
  EXPECT_EQ(run_quintet({"help"}, world.folder()).out, run_quintet({"--help"}, world.folder()).out);
  for (const char* const verb : {"simulate", "plan", "list"})
    EXPECT_EQ(run_quintet({"help", verb}, world.folder()).out,
              run_quintet({verb, "--help"}, world.folder()).out);
  const ProgramRun none = run_quintet({"help", "simulat"}, world.folder());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("simulate"), std::string::npos) << none.err;
}

TEST(List, HasEveryShippedFileWithALine) {
  const World world;
  const std::filesystem::path tree = QUINTET_SOURCE_DIR;
  const ProgramRun run = run_quintet({"list", "topologies"}, world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tree / "topologies"))
    files += entry.path().extension() == ".json" ? 1 : 0;
  EXPECT_EQ(lines_of(run.out).size(), files);
  // 128 hosts of 8 GPUs.
  EXPECT_NE(run.out.find("dgx-h100-1024        1024 H100-SXM-80GB in 128 hosts: "),
            std::string::npos)
      << run.out;
  for (const std::string& line : lines_of(run.out)) EXPECT_GT(line.size(), 40u) << line;

  const ProgramRun models = run_quintet({"list", "models"}, world.folder());
  EXPECT_NE(models.out.find("Llama, 70.6 billion parameters, 80 layers of width 8192"),
            std::string::npos)
      << models.out;
  const ProgramRun plans = run_quintet({"list", "plans"}, world.folder());
  EXPECT_NE(plans.out.find("TP 8 x PP 4 x DP 32"), std::string::npos) << plans.out;
  EXPECT_EQ(run_quintet({"list", "nothing"}, world.folder()).exit_code, 2);
}

}  // namespace
}  // namespace quintet::test
