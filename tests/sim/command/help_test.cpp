// Help has examples, and the examples work.
#include <gtest/gtest.h>

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
                         ::testing::Values("", "simulate", "plan", "topology", "schema",
                                           "completion"),
                         [](const auto& verb) {
                           return *verb.param ? std::string(verb.param) : std::string("quintet");
                         });

TEST(Help, ListsEveryVerbOnALineOfItsOwn) {
  const World world;
  const ProgramRun help = run_quintet({"--help"}, world.folder());
  for (const char* const verb :
       {"simulate", "plan", "compare", "topology", "schema", "completion"}) {
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
  EXPECT_EQ(run.out, "quintet " QUINTET_VERSION "\n");
}

}  // namespace
}  // namespace quintet::test
