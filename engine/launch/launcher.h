// Starts the ranks of a job, passes on what they print and what they are told, and says which of
// them failed and how. Ranks whose peer died end by themselves (engine/transport); who does not
// within the grace is killed.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/rank_starter.h"
#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "engine/launch/signal_source.h"

namespace quintet::engine {

// How a rank says why it ended. Anything else, and a signal, is its own failure.
enum class RankExit {
  done = 0,
  failed = 1,        // and said why
  wrong_input = 2,   // likewise
  other_failed = 3,  // it was told of another rank's failure
  interrupted = 4,   // it was asked to end, and ended in order
};

struct LaunchOptions {
  int world = 1;
  std::function<ProcessStart(Rank)> process;  // its descriptors are set by the launcher
  std::string token;                          // written to each rank's standard input
  Milliseconds grace{10000};
  // Around what ranks print: before it goes out, and after it with the last line of rank 0.
  std::function<void()> before_output{};
  std::function<void(const std::string& line)> after_output{};
};

struct LaunchEnd {
  RankExit exit = RankExit::done;
  // Which rank ended the job and why, its own last words where it had any: "rank 2 was killed by
  // signal 9 (Killed)", "rank 0 failed: l.jsonl: cannot be written to any more"; empty when all is
  // well.
  std::string verdict;
};

// Blocks until every rank has ended. SIGINT and SIGTERM go to all ranks; a second one kills them.
Result<LaunchEnd> launch(const LaunchOptions& options, RankStarter& starter,
                         const SignalSource& signals);

}  // namespace quintet::engine
