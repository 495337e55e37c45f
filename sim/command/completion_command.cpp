#include <cstdio>
#include <string>

#include "sim/command/commands.h"
#include "sim/command/siblings.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

std::string option_words(const Options& options) {
  std::string words;
  for (const std::string& name : long_names(options)) words += " " + name;
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
std::string verb_case(const std::string& verb, const std::string& words, const std::string& names) {
  return "    " + verb + ") words=\"" + words + "\" names=\"" + names + "\";;\n";
}

std::string own_case(const Verb& verb) {
  const std::string name = verb.text.name;
  std::string names;
  if (name == "simulate") names = names_of(FileKind::plan);
  if (name == "plan") names = " new check explain fields diff" + names_of(FileKind::plan);
  if (name == "schema") names = " plan topology costs";
  if (name == "topology") names = names_of(FileKind::topology);
  return verb_case(name, option_words(verb.options), names);
}

// The options of a sibling are its own affair.
std::string sibling_case(const std::string& name) {
  return verb_case(
      name,
      "$(quintet " + name +
          " --help 2>/dev/null | grep -oE '^ *(-., ?)?--[a-z-]+' | grep -oE -- '--.*')",
      names_of(FileKind::plan));
}

// `mapfile` keeps a file's name whole that has blanks in it.
std::string bash_completion(const CommandLine& program) {
  std::string verbs, cases;
  for (const auto& verb : program.verbs) {
    verbs += std::string(" ") + verb->text.name;
    cases += own_case(*verb);
  }
  for (const VerbText& verb : program.elsewhere) {
    verbs += std::string(" ") + verb.name;
    cases += sibling_case(verb.name);
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
         verbs + option_words(own_options(program)) +
         "\"\n"
         "    return\n"
         "  fi\n"
         "  case $before in\n" +
         option_case("--model", FileKind::model) + option_case("--topology", FileKind::topology) +
         option_case("--costs", FileKind::costs) + option_case("--stack", FileKind::stack) +
         option_case("--data", FileKind::text) + option_case("--shape", FileKind::topology) +
         "    --trace|--prices|--html|--svg) _quintet_offer \"\" files; return;;\n"
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

struct Completion {
  const CommandLine* of;
};

ExitCode print_completion(const Completion& completion) {
  std::fputs(bash_completion(*completion.of).c_str(), stdout);
  return ExitCode::done;
}

}  // namespace

std::unique_ptr<Verb> completion_verb(const CommandLine& program) {
  return make_verb<Completion>({"completion", "Print the completion script for bash",
                                "Example:\n"
                                "  quintet completion\n"
                                "In ~/.bashrc: eval \"$(quintet completion)\""},
                               {[](Completion&) { return Options{}; }, print_completion},
                               Completion{&program});
}

}  // namespace quintet
