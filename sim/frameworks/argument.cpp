#include "sim/frameworks/argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

// Whole numbers as argparse's int and TOML have them; what is too large for any field is refused.
std::optional<int> integer_of(std::string_view text) {
  if (text.starts_with("+")) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> real_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

bool is_choice(std::string_view choices, std::string_view value) {
  while (true) {
    const std::size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

std::string with_commas(std::string_view choices) {
  std::string listed;
  for (const char letter : choices)
    listed += letter == '|' ? std::string(", ") : std::string(1, letter);
  return listed;
}

}  // namespace

std::string_view noun(ArgumentType type) {
  switch (type) {
    case ArgumentType::flag:
      return "true or false";
    case ArgumentType::integer:
      return "a whole number";
    case ArgumentType::real:
      return "a number";
    case ArgumentType::text:
      return "text in quotes";
  }
  return "";
}

const ArgumentRow* row_of(std::span<const ArgumentRow> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const ArgumentRow& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::optional<std::string> refusal(const ArgumentRow& row, std::string_view value) {
  const auto expected = [&](std::string_view what) {
    return fmt::format("{}: expected {}, found {}", row.name, what, in_quotes(value));
  };
  switch (row.type) {
    case ArgumentType::flag:
      if (!value.empty()) return expected("no value");
      return std::nullopt;
    case ArgumentType::integer:
      if (!integer_of(value)) return expected("a whole number");
      return std::nullopt;
    case ArgumentType::real:
      if (!real_of(value)) return expected("a number");
      return std::nullopt;
    case ArgumentType::text:
      if (!row.choices.empty() && !is_choice(row.choices, value))
        return expected("one of " + with_commas(row.choices));
      return std::nullopt;
  }
  return std::nullopt;
}

Arguments::Arguments(std::string where, std::vector<GivenArgument> given)
    : where_(std::move(where)), given_(std::move(given)) {}

const GivenArgument* Arguments::given(std::string_view name) const {
  const auto last = std::find_if(given_.rbegin(), given_.rend(),
                                 [&](const GivenArgument& each) { return each.name == name; });
  return last == given_.rend() ? nullptr : &*last;
}

int Arguments::integer(std::string_view name, int usual) const {
  const GivenArgument* const found = given(name);
  return found == nullptr ? usual : integer_of(found->value).value_or(usual);
}

double Arguments::real(std::string_view name, double usual) const {
  const GivenArgument* const found = given(name);
  return found == nullptr ? usual : real_of(found->value).value_or(usual);
}

std::string Arguments::text(std::string_view name, std::string_view usual) const {
  const GivenArgument* const found = given(name);
  return found == nullptr ? std::string(usual) : found->value;
}

std::string Arguments::place(std::string_view name) const {
  const GivenArgument* const found = given(name);
  return found == nullptr ? where_ : fmt::format("{}:{}", where_, found->line);
}

}  // namespace quintet
