// quintet-gui ..., which is `quintet gui ...`.

#include "gui/command/gui_command.h"
#include "sim/usage/complain.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/run_verb.h"

int main(int count, char** words) {
  return static_cast<int>(quintet::guarded([&] {
    std::vector<std::string> given{"gui"};
    given.insert(given.end(), words + (count > 0 ? 1 : 0), words + count);
    quintet::CommandLine program{"Quintet's window"};
    program.verbs.push_back(quintet::gui::gui_verb());
    return quintet::after_writing_out(run_verb(program, given));
  }));
}
