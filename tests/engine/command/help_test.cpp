#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

TEST(HelpOfRun, IsTheSameFromBothPrograms) {
  const TemporaryFolder folder;
  const ProgramRun one = run_shell("quintet run --help", folder.path());
  const ProgramRun other = run_shell("quintet-run --help", folder.path());
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, other.out);
}

TEST(HelpOfRun, HasExamplesThatWork) {
  const TemporaryFolder folder;
  std::istringstream help(run_shell("quintet run --help", folder.path()).out);
  int examples = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  quintet run ")) continue;
    ++examples;
    const ProgramRun run = run_shell(line, folder.path());
    const bool lacks_gpu = line.find("--device gpu") != std::string::npos &&
                           run.err.find("quintet: --device gpu: ") == 0;
    EXPECT_EQ(run.exit_code, lacks_gpu ? 2 : 0) << line << "\n" << run.err;
  }
  EXPECT_GE(examples, 2);
}

TEST(CompletionOfRun, OffersItsOptionsAndTheShippedText) {
  const TemporaryFolder folder;
  const auto offered = [&](const std::string& words, int place) {
    return run_shell("eval \"$(quintet completion)\"; COMP_WORDS=(" + words + "); COMP_CWORD=" +
                         std::to_string(place) + "; _quintet; printf '%s ' \"${COMPREPLY[@]}\"",
                     folder.path())
        .out;
  };
  EXPECT_EQ(offered("quintet run --checkpoint", 2), "--checkpoint --checkpoint-every ");
  EXPECT_EQ(offered("quintet run x --data the-v", 4), "the-valley ");
  EXPECT_EQ(offered("quintet run tiny-gpt-z", 2), "tiny-gpt-zero3 ");
}

TEST(RunSibling, ThatIsNotThereIsExplained) {
  const TemporaryFolder folder;
  std::filesystem::copy(quintet_program(), folder.path() / "quintet");
  const ProgramRun run = run_shell("PATH=/usr/bin:/bin ./quintet run x", folder.path());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("quintet-run"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("libucx-dev"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace quintet::test
