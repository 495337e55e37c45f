#include "traces/chakra/process_groups.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "traces/chakra/shown_name.h"

namespace quintet::chakra {

namespace {

namespace dom = simdjson::dom;

bool take_ranks(std::vector<std::int64_t>& ranks, const dom::element& list) {
  dom::array array;
  if (list.get(array) != simdjson::SUCCESS) return false;
  for (const dom::element rank : array) {
    std::int64_t value = 0;
    if (rank.get(value) != simdjson::SUCCESS || value < 0 || value >= most_ranks) return false;
    ranks.push_back(value);
  }
  return true;
}

std::optional<NamedGroup> group_of_torch(const dom::element& entry) {
  NamedGroup group;
  std::string_view name;
  dom::element ranks;
  if (entry["pg_name"].get(name) != simdjson::SUCCESS ||
      entry["ranks"].get(ranks) != simdjson::SUCCESS || !take_ranks(group.ranks, ranks))
    return {};
  group.name = name;
  return group;
}

}  // namespace

Result<std::vector<NamedGroup>> parse_groups(std::string_view json, const std::string& where) {
  dom::parser parser;
  dom::object object;
  if (const auto wrong = parser.parse(json.data(), json.size()).get(object))
    return Error{where, fmt::format("is no file of process groups: {}; expected "
                                    "{{\"1\": [0, 1]}}, a list of ranks by name",
                                    simdjson::error_message(wrong))};
  std::vector<NamedGroup> groups;
  for (const dom::key_value_pair entry : object) {
    NamedGroup& group = groups.emplace_back();
    group.name = entry.key;
    if (!take_ranks(group.ranks, entry.value) || group.ranks.empty())
      return Error{fmt::format("{}: \"{}\"", where, shown(group.name)),
                   fmt::format("expected a list of ranks, each of 0 to {}", most_ranks - 1)};
  }
  return groups;
}

void take_groups_of_torch(std::vector<NamedGroup>& groups, std::string_view values) {
  // ['[{...}]']
  constexpr std::size_t around = 2;
  if (values.size() < 2 * around + 2) return;
  const std::string_view json = values.substr(around, values.size() - 2 * around);
  dom::parser parser;
  dom::array list;
  if (parser.parse(json.data(), json.size()).get(list) != simdjson::SUCCESS) return;
  for (const dom::element entry : list)
    if (std::optional<NamedGroup> group = group_of_torch(entry))
      groups.push_back(std::move(*group));
}

}  // namespace quintet::chakra
