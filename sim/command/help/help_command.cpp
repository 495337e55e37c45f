#include <algorithm>
#include <memory>
#include <string>

#include "sim/command/commands.h"
#include "sim/command/siblings.h"
#include "sim/usage/run_verb.h"

namespace quintet {
namespace {

struct HelpArguments {
  const CommandLine* of;
  std::string command;
};

bool is_verb(const CommandLine& program, const std::string& name) {
  return std::any_of(program.verbs.begin(), program.verbs.end(),
                     [&](const auto& verb) { return name == verb->text.name; });
}

ExitCode help(const HelpArguments& arguments) {
  if (arguments.command.empty()) return run_verb(*arguments.of, {"--help"});
  // What is no command at all is refused as it would be without help.
  if (!is_sibling(arguments.command) && !is_verb(*arguments.of, arguments.command))
    return run_verb(*arguments.of, {arguments.command});
  if (const auto code = become_sibling({arguments.command, "--help"})) return *code;
  return run_verb(*arguments.of, {arguments.command, "--help"});
}

Options options(HelpArguments& into) {
  return {{"command", &into.command, "Which; default: all in a line each", "COMMAND"}};
}

}  // namespace

std::unique_ptr<Verb> help_verb(const CommandLine& program) {
  return make_verb<HelpArguments>({"help", "Print the help of a command, as its --help does",
                                   "Examples:\n"
                                   "  quintet help\n"
                                   "  quintet help simulate\n"
                                   "Exit: 0 done, 2 there is no such command."},
                                  {options, help}, HelpArguments{&program, ""});
}

}  // namespace quintet
