// quintet-run ..., which is `quintet run ...`.

#include "engine/command/kept_memory.h"
#include "engine/command/run_command.h"
#include "sim/usage/complain.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/run_verb.h"

int main(int count, char** words) {
  quintet::engine::keep_freed_memory();
  return static_cast<int>(quintet::guarded([&] {
    const std::vector<std::string> command_line(words + (count > 0 ? 1 : 0), words + count);
    std::vector<std::string> given{"run"};
    given.insert(given.end(), command_line.begin(), command_line.end());
    quintet::CommandLine program{"Quintet's engine"};
    program.verbs.push_back(quintet::engine::train_verb(command_line));
    return quintet::after_writing_out(run_verb(program, given));
  }));
}
