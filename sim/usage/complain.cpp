#include "sim/usage/complain.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"
#include "sim/usage/parser_words.h"

namespace quintet {
namespace {

using Words = std::vector<std::string>;

// "; did you mean ...?", or failing that what there is.
std::string hint(const std::string& word, const Words& candidates) {
  if (const auto near = nearest(word, {candidates.begin(), candidates.end()}))
    return "; did you mean " + in_quotes(*near) + "?";
  return "; there are " + joined(candidates);
}

Words verbs_of(const CLI::App& program) {
  Words verbs;
  for (const CLI::App* verb : program.get_subcommands({})) verbs.push_back(verb->get_name());
  return verbs;
}

Words options_of(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// "--trace=x.json" is the option --trace, "-5" a number.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1]));
}

std::string option_name(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

// CLI11 complains about what is missing first, though a misspelt option is the reason for that.
std::string unknown_option(const CLI::App& app, const Words& given) {
  for (const std::string& word : given) {
    if (word == "--") return "";
    if (is_option(word) && app.get_option_no_throw(option_name(word)) == nullptr)
      return "unknown option " + in_quotes(option_name(word)) +
             hint(option_name(word), options_of(app));
  }
  return "";
}

std::string see_help(const std::string& of) {
  return "See " + of + " --help.";
}

}  // namespace

std::string joined(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : ", ") + word;
  return line;
}

ExitCode complain(const Error& error) {
  std::fprintf(stderr, "quintet: %s\n", error.text().c_str());
  return ExitCode::wrong_input;
}

ExitCode after_writing_out(ExitCode code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain({"standard output", std::string("cannot be written to: ") +
                                          (errno != 0 ? std::strerror(errno) : "it failed")});
}

std::string usage_text(const CLI::App& program, const CLI::ParseError& error, const Words& given) {
  const Words verbs = verbs_of(program);
  if (given.empty())
    return "no verb given; there are " + joined(verbs) + "\n" + see_help("quintet");
  const bool begins_with_verb = std::find(verbs.begin(), verbs.end(), given[0]) != verbs.end();
  if (!begins_with_verb && !is_option(given[0]))
    return "there is no verb " + in_quotes(given[0]) + hint(given[0], verbs) + "\n" +
           see_help("quintet");
  const CLI::App& app = begins_with_verb ? *program.get_subcommand(given[0]) : program;
  const std::string unknown = unknown_option(app, given);
  return (unknown.empty() ? in_our_words(app, error) : unknown) + "\n" +
         see_help(begins_with_verb ? "quintet " + given[0] : "quintet");
}

}  // namespace quintet
