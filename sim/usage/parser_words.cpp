#include "sim/usage/parser_words.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

using Parts = std::smatch;

std::optional<double> number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

// CLI11 prints limits as std::to_string does: "0.100000".
std::string trimmed(std::string limit) {
  if (limit.find('.') == std::string::npos) return limit;
  limit.erase(limit.find_last_not_of('0') + 1);
  if (limit.back() == '.') limit.pop_back();
  return limit;
}

// With what help says of it, up to the first pause.
std::string required(const CLI::App& app, const Parts& parts) {
  const CLI::Option* const option = app.get_option_no_throw(parts[1]);
  if (option == nullptr) return parts[0];
  std::string meaning = option->get_description();
  std::replace(meaning.begin(), meaning.end(), '\n', ' ');
  meaning = meaning.substr(0, std::min(meaning.find_first_of(";("), meaning.find(". ")));
  while (meaning.ends_with(' ')) meaning.pop_back();
  return parts[0].str() + (meaning.empty() ? "" : ": " + meaning);
}

std::string out_of_range(const CLI::App&, const Parts& parts) {
  constexpr double no_limit = 1e300;
  const bool open = number(parts[4]).value_or(no_limit) >= no_limit;
  return parts[1].str() + ": expected " + trimmed(parts[3]) +
         (open ? " or more" : " to " + trimmed(parts[4])) + ", found " + in_quotes(parts[2].str());
}

// A number that was not taken is a fraction where a whole one is due.
std::string not_converted(const CLI::App&, const Parts& parts) {
  const bool whole = number(parts[2]).has_value();
  return parts[1].str() + ": expected a " + (whole ? "whole " : "") + "number, found " +
         in_quotes(parts[2].str());
}

std::string too_few(const CLI::App&, const Parts& parts) {
  return parts[1].str() + ": expected " + parts[2].str() + " values, found " + parts[3].str();
}

std::string no_value(const CLI::App&, const Parts& parts) {
  return parts[1].str() + ": expected " + parts[2].str() + ", found nothing";
}

struct Translation {
  const char* theirs;
  std::string (*ours)(const CLI::App& app, const Parts& parts);
};

// CLI11 2.3 (CLI/Error.hpp, CLI/Validators.hpp).
constexpr Translation translations[] = {
    {R"((\S+) is required)", required},
    {R"((\S+): Value (.*) not in range (\S+) to (\S+))", out_of_range},
    {R"(Could not convert: (\S+) = (.*))", not_converted},
    {R"((\S+): At least (\d+) required but received (\d+))", too_few},
    {R"((\S+): 1 required (.+) missing)", no_value},
};

}  // namespace

std::string in_our_words(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  Parts parts;
  for (const Translation& each : translations)
    if (std::regex_match(text, parts, std::regex(each.theirs))) return each.ours(app, parts);
  return text;
}

}  // namespace quintet
