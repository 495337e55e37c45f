// quintet VERB ...: files in, prediction out.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "sim/command/commands.h"
#include "sim/json_fields.h"

namespace {

using quintet::ExitCode;
using quintet::Verb;

std::vector<std::string> known_words(const CLI::App& program) {
  std::vector<std::string> words;
  for (const CLI::App* app : program.get_subcommands({})) {
    words.push_back(app->get_name());
    for (const CLI::Option* option : app->get_options())
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

// What CLI11 found wrong, and the word that was probably meant.
int complain(const CLI::App& program, const CLI::ParseError& error, int count, char** given) {
  std::fprintf(stderr, "quintet: %s\n", error.what());
  const std::vector<std::string> words = known_words(program);
  for (int index = 1; index < count; ++index) {
    const std::string word = given[index];
    if (std::find(words.begin(), words.end(), word) != words.end()) continue;
    if (index > 1 && word.rfind("--", 0) != 0) continue;
    if (const auto near = quintet::nearest(word, {words.begin(), words.end()}))
      std::fprintf(stderr, "Did you mean \"%s\"?\n", std::string(*near).c_str());
  }
  std::fprintf(stderr, "See quintet --help.\n");
  return static_cast<int>(ExitCode::wrong_input);
}

}  // namespace

int main(int count, char** given) {
  CLI::App program("Quintet predicts a distributed training step and says where its time goes.",
                   "quintet");
  program.set_version_flag("--version", "quintet " QUINTET_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Examples:\n"
      "  quintet simulate llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
      "dgx-h100-1024\n"
      "  quintet topology dgx-h100-1024 --path host0/gpu0 host127/gpu7");
  const std::vector<Verb> verbs{quintet::add_simulate(program), quintet::add_topology(program),
                                quintet::add_completion(program)};
  try {
    program.parse(count, given);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    return complain(program, error, count, given);
  }
  try {
    for (const Verb& verb : verbs)
      if (verb.app->parsed()) return static_cast<int>(verb.run());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "quintet: %s\n", failure.what());
    return static_cast<int>(ExitCode::wrong_input);
  }
  return static_cast<int>(ExitCode::wrong_input);
}
