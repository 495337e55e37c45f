// quintet-replay: reads traces, shows and replays them. Started by `quintet replay`.

#include <string>
#include <vector>

#include "sim/usage/complain.h"
#include "sim/usage/memory_pages.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/run_verb.h"
#include "traces/command/replay_command.h"

int main(int count, char** words) {
  using namespace quintet;
  keep_memory();
  return static_cast<int>(guarded([&] {
    std::vector<std::string> given(words + (count > 0 ? 1 : 0), words + count);
    CommandLine program{"Replays recorded steps."};
    program.verbs.push_back(replay_verb());
    given.insert(given.begin(), "replay");
    return after_writing_out(run_verb(program, given));
  }));
}
