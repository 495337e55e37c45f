#include <cstdio>
#include <string>

#include "sim/command/commands.h"
#include "sim/command/shipped.h"

namespace quintet {

namespace {

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  return words;
}

std::string case_of(const char* pattern, FileKind kind) {
  std::string names;
  for (const std::string& name : shipped_names(kind)) names += " " + name;
  return std::string("    ") + pattern + ") COMPREPLY=($(compgen -W \"" + names +
         "\" -- \"$word\") $(compgen -f -- \"$word\")); return;;\n";
}

std::string bash_completion(const CLI::App& program) {
  std::string verbs, cases;
  for (const CLI::App* app : program.get_subcommands({})) {
    verbs += " " + app->get_name();
    cases += "    " + app->get_name() + ") words=\"" + option_words(*app) + "\";;\n";
  }
  std::string plans, machines;
  for (const std::string& name : shipped_names(FileKind::plan)) plans += " " + name;
  for (const std::string& name : shipped_names(FileKind::topology)) machines += " " + name;
  return "# bash completion of quintet: eval \"$(quintet completion)\"\n"
         "_quintet() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\"" +
         verbs +
         "\"\n"
         "  compopt -o filenames 2>/dev/null\n"
         "  case $before in\n" +
         case_of("--model", FileKind::model) + case_of("--topology", FileKind::topology) +
         case_of("--costs", FileKind::costs) +
         "    --trace) COMPREPLY=($(compgen -f -- \"$word\")); return;;\n"
         "  esac\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [[ $COMP_CWORD -gt 1 && $word != -* ]]; then\n"
         "    [[ ${COMP_WORDS[1]} == simulate ]] && words=\"" +
         plans +
         "\"\n"
         "    [[ ${COMP_WORDS[1]} == topology ]] && words=\"" +
         machines +
         "\"\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _quintet quintet\n";
}

struct Completion final : Verb {
  explicit Completion(const CLI::App& whole) : program(whole) {}
  ExitCode run() const override {
    std::fputs(bash_completion(program).c_str(), stdout);
    return ExitCode::done;
  }
  const CLI::App& program;
};

}  // namespace

std::unique_ptr<Verb> add_completion(CLI::App& program) {
  auto verb = std::make_unique<Completion>(program);
  CLI::App* const app =
      program.add_subcommand("completion", "Print the completion script for bash");
  verb->app = app;
  app->footer(
      "Example:\n"
      "  quintet completion\n"
      "In ~/.bashrc: eval \"$(quintet completion)\"");
  return verb;
}

}  // namespace quintet
