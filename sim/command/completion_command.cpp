#include <cstdio>
#include <string>

#include "sim/command/commands.h"
#include "sim/command/siblings.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  return words;
}

std::string names_of(FileKind kind) {
  std::string names;
  for (const std::string& name : shipped_names(kind)) names += " " + name;
  return names;
}

std::string option_case(const char* option, FileKind kind) {
  return std::string("    ") + option + ") _quintet_offer \"" + names_of(kind) +
         "\" files; return;;\n";
}

// `words` after options, `names` where a file is due.
std::string verb_case(const CLI::App& verb) {
  std::string names;
  if (verb.get_name() == "simulate") names = names_of(FileKind::plan);
  if (verb.get_name() == "topology") names = names_of(FileKind::topology);
  if (is_sibling(verb.get_name()))  // its options are its own affair
    return "    " + verb.get_name() + ") words=\"$(quintet " + verb.get_name() +
           " --help 2>/dev/null | grep -oE '^ *(-., ?)?--[a-z-]+' | grep -oE -- '--.*')\" "
           "names=\"" +
           names_of(FileKind::plan) + "\";;\n";
  return "    " + verb.get_name() + ") words=\"" + option_words(verb) + "\" names=\"" + names +
         "\";;\n";
}

// `mapfile` keeps a file's name whole that has blanks in it.
std::string bash_completion(const CLI::App& program) {
  std::string verbs, cases;
  for (const CLI::App* verb : program.get_subcommands({})) {
    verbs += " " + verb->get_name();
    cases += verb_case(*verb);
  }
  return "# bash completion of quintet: eval \"$(quintet completion)\"\n"
         "_quintet_offer() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]}\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\"\n"
         "    [[ $2 == files ]] && compgen -f -- \"$word\")\n"
         "}\n"
         "_quintet() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words names\n"
         "  compopt -o filenames 2>/dev/null\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
         "    _quintet_offer \"" +
         verbs + option_words(program) +
         "\"\n"
         "    return\n"
         "  fi\n"
         "  case $before in\n" +
         option_case("--model", FileKind::model) + option_case("--topology", FileKind::topology) +
         option_case("--costs", FileKind::costs) + option_case("--data", FileKind::text) +
         option_case("--shape", FileKind::topology) +
         "    --trace) _quintet_offer \"\" files; return;;\n"
         "  esac\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in\n"
         "    -*) _quintet_offer \"$words\";;\n"
         "    *) _quintet_offer \"$names\" files;;\n"
         "  esac\n"
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
