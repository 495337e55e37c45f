#include "traces/astra_sim/flat_lists.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

constexpr std::string_view form = "; accepted is \"key: [ a, b ]\" on a line of its own";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// YAML takes '#' for a comment at the beginning of a line and after a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at)
    if (line[at] == '#' && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t'))
      return line.substr(0, at);
  return line;
}

std::string_view unquoted(std::string_view item) {
  const bool quoted = item.size() >= 2 && (item.front() == '"' || item.front() == '\'') &&
                      item.back() == item.front();
  return quoted ? item.substr(1, item.size() - 2) : item;
}

bool is_plain(std::string_view item) {
  return !item.empty() && item.find_first_of("[]{}:,\"'&*!|>%@`?") == std::string_view::npos;
}

std::optional<std::vector<std::string>> items_of(std::string_view value) {
  const bool list = value.size() >= 2 && value.front() == '[' && value.back() == ']';
  if (list) value = trimmed(value.substr(1, value.size() - 2));
  std::vector<std::string> items;
  while (!value.empty()) {
    const std::size_t comma = list ? value.find(',') : std::string_view::npos;
    const std::string_view item = unquoted(trimmed(value.substr(0, comma)));
    if (!is_plain(item)) return std::nullopt;
    items.emplace_back(item);
    if (comma == std::string_view::npos) break;
    value = trimmed(value.substr(comma + 1));
  }
  return items;
}

}  // namespace

Result<std::vector<FlatList>> flat_lists(const std::string& text, const std::string& where) {
  std::vector<FlatList> lists;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    const std::string_view said = trimmed(without_comment(line));
    if (said.empty() || (said == "---" && lists.empty())) continue;
    const std::string place = where + ": line " + std::to_string(number);
    const std::size_t colon = said.find(':');
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (colon == std::string_view::npos || indented || !is_plain(trimmed(said.substr(0, colon))))
      return Error{place, "found " + in_quotes(said) + std::string(form)};
    FlatList list{std::string(trimmed(said.substr(0, colon))), number, {}};
    const auto items = items_of(trimmed(said.substr(colon + 1)));
    if (!items || items->empty())
      return Error{place, "no values after the key in " + in_quotes(said) + std::string(form)};
    list.items = *items;
    for (const FlatList& other : lists)
      if (other.key == list.key)
        return Error{place, "the key " + in_quotes(list.key) + " was on line " +
                                std::to_string(other.line) + " before; leave one of them"};
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace quintet
