#include "sim/usage/usage_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"
#include "sim/usage/complain.h"
#include "sim/usage/description.h"

namespace quintet {
namespace {

using Words = std::vector<std::string>;

bool is_named(const Option& option, const std::string& name) {
  const Words names = names_of(option);
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Option* option_named(const Options& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return is_named(option, name); });
  return found == options.end() ? nullptr : &*found;
}

// "; did you mean ...?", or failing that what there is.
std::string hint(const std::string& word, const Words& candidates) {
  if (const auto near = nearest(word, {candidates.begin(), candidates.end()}))
    return "; did you mean " + in_quotes(*near) + "?";
  return "; there are " + joined(candidates);
}

Words verbs_of(const CommandLine& program) {
  Words names;
  for (const auto& verb : program.verbs) names.emplace_back(verb->text.name);
  for (const VerbText& verb : program.elsewhere) names.emplace_back(verb.name);
  return names;
}

// The options of the verb that was named; before any, those of the program itself.
Options options_of(const CommandLine& program, const std::string& named) {
  for (const auto& verb : program.verbs)
    if (verb->text.name == named) return verb->options;
  return own_options(program);
}

// "--trace=x.json" is the option --trace, "-5" a number.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1]));
}

std::string option_name(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

// CLI11 complains about what is missing first, though a misspelt option is the reason for that.
std::string unknown_option(const Options& options, const Words& given) {
  for (const std::string& word : given) {
    if (word == "--") return "";
    if (!is_option(word)) continue;
    const std::string name = option_name(word);
    if (name != "-h" && name != "--help" && option_named(options, name) == nullptr)
      return "unknown option " + in_quotes(name) + hint(name, long_names(options));
  }
  return "";
}

// What stands where the pattern has stars, if the text is like it.
std::optional<Words> parts_of(std::string_view text, std::string_view pattern) {
  const std::size_t star = std::min(pattern.find('*'), pattern.size());
  if (!text.starts_with(pattern.substr(0, star))) return std::nullopt;
  text.remove_prefix(star);
  if (star == pattern.size()) return text.empty() ? std::optional(Words{}) : std::nullopt;
  for (std::size_t length = 0; length <= text.size(); ++length)
    if (auto parts = parts_of(text.substr(length), pattern.substr(star + 1))) {
      parts->insert(parts->begin(), std::string(text.substr(0, length)));
      return parts;
    }
  return std::nullopt;
}

bool is_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc{} && stopped == end;
}

// With what help says of it, up to the first pause.
std::string required(const Options& options, const Words& parts) {
  const Option* const option = option_named(options, parts[0]);
  std::string meaning = option == nullptr ? "" : option->does;
  std::replace(meaning.begin(), meaning.end(), '\n', ' ');
  meaning = meaning.substr(0, std::min(meaning.find_first_of(";("), meaning.find(". ")));
  while (meaning.ends_with(' ')) meaning.pop_back();
  if (const auto* const of = option == nullptr ? nullptr : std::get_if<OneOf>(&option->check))
    meaning = "one of " + joined(Words(of->words.begin(), of->words.end()));
  return parts[0] + " is required" + (meaning.empty() ? "" : ": " + meaning);
}

bool is_flag(const Option& option) {
  return std::holds_alternative<bool*>(option.into);
}

// A number that was not taken is a fraction where a whole one is due, or too large a whole one.
std::string not_converted(const Options& options, const Words& parts) {
  const Option* const option = option_named(options, parts[0]);
  if (option != nullptr && is_flag(*option))
    return parts[0] + ": takes no value, found " + in_quotes(parts[1]) + "; give " + parts[0] +
           " alone, or leave it out";
  if (parts[1].find_first_not_of("0123456789") == std::string::npos && !parts[1].empty())
    return parts[0] + ": expected a smaller whole number, found " + in_quotes(parts[1]);
  return parts[0] + ": expected a " + (is_number(parts[1]) ? "whole " : "") + "number, found " +
         in_quotes(parts[1]);
}

std::string too_few(const Options&, const Words& parts) {
  return parts[0] + ": expected " + parts[1] + " values, found " + parts[2];
}

// CLI11 names, for a number with limits, the type with them in brackets.
std::string no_value(const Options& options, const Words& parts) {
  const Option* const option = option_named(options, parts[0]);
  const std::string accepted = option == nullptr ? "" : accepts_text(option->check);
  return parts[0] + ": expected " + (accepted.empty() ? parts[1] : accepted) + ", found nothing";
}

std::string too_many(const Options&, const Words& parts) {
  if (parts[1] == "1") return parts[0] + ": is given " + parts[2] + " times; give it once";
  return parts[0] + ": expected " + parts[1] + " values, found " + parts[2];
}

std::string no_such_word(const Options&, const Words& parts) {
  Words words{""};
  for (const char letter : parts[2])
    if (letter == ',')
      words.emplace_back();
    else
      words.back().push_back(letter);
  const auto near = nearest(parts[1], {words.begin(), words.end()});
  return parts[0] + ": expected one of " + joined(words) + ", found " + in_quotes(parts[1]) +
         (near ? "; did you mean " + in_quotes(*near) + "?" : "");
}

struct Translation {
  const char* theirs;
  std::string (*ours)(const Options& options, const Words& parts);
};

// CLI11's CLI/Error.hpp, from 2.1 on.
constexpr Translation translations[] = {
    {"* is required", required},
    {"Could not convert: * = *", not_converted},
    {"*: At least * required but received *", too_few},
    {"*: 1 required * missing", no_value},
    {"*: At Most * required but received *", too_many},
    {"*: * not in {*}", no_such_word},
};

std::string in_our_words(const Options& options, const std::string& refusal) {
  for (const Translation& each : translations)
    if (const auto parts = parts_of(refusal, each.theirs)) return each.ours(options, *parts);
  return refusal;
}

}  // namespace

std::string usage_text(const CommandLine& program, const std::string& refusal, const Words& given) {
  const Words verbs = verbs_of(program);
  const std::string own_help = "\nSee quintet --help.";
  if (given.empty()) return "no verb given; there are " + joined(verbs) + own_help;
  const bool begins_with_verb = std::find(verbs.begin(), verbs.end(), given[0]) != verbs.end();
  if (!begins_with_verb && !is_option(given[0]))
    return "there is no verb " + in_quotes(given[0]) + hint(given[0], verbs) + own_help;
  if (refusal == "A subcommand is required" && given[0] == "--")
    return "no verb given; there are " + joined(verbs) + own_help;
  const Options options = options_of(program, given[0]);
  const std::string unknown = unknown_option(options, given);
  return (unknown.empty() ? in_our_words(options, refusal) : unknown) +
         (begins_with_verb ? "\nSee quintet " + given[0] + " --help." : own_help);
}

}  // namespace quintet
