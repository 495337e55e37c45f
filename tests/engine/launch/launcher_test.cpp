// Ranks are small shell scripts here.
#include "engine/launch/launcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace quintet::engine {
namespace {

struct Launched {
  LaunchEnd end;
  std::string out, err;
};

// $1 is the rank.
Launched run_ranks(int world, const std::string& script, Milliseconds grace = Milliseconds(10000)) {
  LaunchOptions options;
  options.world = world;
  options.token = "the token";
  options.grace = grace;
  options.process = [&](Rank rank) {
    ProcessStart process;
    process.arguments = {"/bin/sh", "-c", script, "sh", std::to_string(rank.value)};
    process.environment = {"PATH=/usr/bin:/bin"};
    return process;
  };
  const SignalSource signals;
  LocalStarter starter;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Result<LaunchEnd> end = launch(options, starter, signals);
  Launched launched;
  launched.out = testing::internal::GetCapturedStdout();
  launched.err = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(end) << end.error().text();
  if (end) launched.end = *end;
  return launched;
}

TEST(Launcher, SaysNothingWhenAllIsWell) {
  const Launched launched = run_ranks(3, "exit 0");
  EXPECT_EQ(launched.end.exit, RankExit::done);
  EXPECT_EQ(launched.end.verdict, "");
}

TEST(Launcher, PassesOutputOnByLinesWithTheRankBeforeErrors) {
  const Launched launched = run_ranks(2, "[ $1 = 0 ] && printf 'one\\ntwo'; echo bad >&2");
  EXPECT_EQ(launched.out, "one\ntwo\n");
  EXPECT_NE(launched.err.find("rank 0: bad\n"), std::string::npos) << launched.err;
  EXPECT_NE(launched.err.find("rank 1: bad\n"), std::string::npos) << launched.err;
}

TEST(Launcher, GivesTheTokenOnTheStandardInputAlone) {
  const Launched launched = run_ranks(
      1, "read token; echo \"$token\"; env | grep -c token; tr '\\0' ' ' </proc/$$/cmdline");
  EXPECT_EQ(launched.out.substr(0, 12), "the token\n0\n") << launched.out;
}

// 9: SIGKILL.
TEST(Launcher, NamesTheRankThatASignalEnded) {
  const Launched launched = run_ranks(3, "[ $1 = 1 ] && kill -9 $$; sleep 0.2; exit 3");
  EXPECT_EQ(launched.end.exit, RankExit::failed);
  EXPECT_EQ(launched.end.verdict, "rank 1 was killed by signal 9 (Killed)");
}

TEST(Launcher, BlamesWhoFailedRatherThanWhoWasToldOfIt) {
  const Launched launched = run_ranks(3, "[ $1 = 2 ] && sleep 0.3 && exit 1; exit 3");
  EXPECT_EQ(launched.end.verdict, "rank 2 failed");
}

TEST(Launcher, KillsWhoDoesNotEndWithinTheGrace) {
  // Who were not killed would not let this test end.
  const Launched launched =
      run_ranks(2, "[ $1 = 0 ] && exit 1; exec sleep 100000", Milliseconds(300));
  EXPECT_EQ(launched.end.verdict, "rank 0 failed");
}

// What a rank said last is the reason; an empty line behind it is none.
TEST(Launcher, RepeatsTheLastWordsOfWhoFailed) {
  const Launched launched = run_ranks(
      2,
      "[ $1 = 1 ] && echo remark >&2 && printf 'no room on the disk\\n\\n' >&2 && exit 1; "
      "sleep 0.2; exit 3");
  EXPECT_EQ(launched.end.verdict, "rank 1 failed: no room on the disk");
}

// It would otherwise be killed after the grace, a minute here, and nobody would know why it had not
// answered.
TEST(Launcher, NamesAStoppedRankAndEndsItAtOnce) {
  const auto begin = Clock::now();
  const Launched launched =
      run_ranks(2, "[ $1 = 1 ] && kill -STOP $$; sleep 0.3; exit 3", Milliseconds(60000));
  EXPECT_LT(Clock::now() - begin, Milliseconds(10000));
  EXPECT_EQ(launched.end.exit, RankExit::failed);
  EXPECT_TRUE(launched.end.verdict.starts_with("rank 1 did not answer: its process "))
      << launched.end.verdict;
  EXPECT_NE(launched.end.verdict.find("was stopped (by SIGSTOP"), std::string::npos);
}

TEST(Launcher, PassesAnInterruptOnAndWaitsForAnOrderlyEnd) {
  const Launched launched =
      run_ranks(2,
                "trap 'exit 4' TERM; [ $1 = 0 ] && sleep 0.3 && kill -TERM $PPID; "
                "while :; do sleep 0.05; done");
  EXPECT_EQ(launched.end.exit, RankExit::interrupted);
  EXPECT_EQ(launched.end.verdict, "interrupted (Terminated)");
}

TEST(Launcher, SaysThatAProgramCannotBeStarted) {
  LaunchOptions options;
  options.process = [](Rank) {
    ProcessStart process;
    process.arguments = {"/nowhere/quintet-run"};
    return process;
  };
  const SignalSource signals;
  LocalStarter starter;
  const Result<LaunchEnd> end = launch(options, starter, signals);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().text(),
            "rank 0: /nowhere/quintet-run cannot be started: No such file or directory");
}

}  // namespace
}  // namespace quintet::engine
