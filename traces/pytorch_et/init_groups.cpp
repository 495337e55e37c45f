#include <nlohmann/json.hpp>

#include <numeric>

#include "sim/json/json_fields.h"
#include "traces/json_stream/array_elements.h"
#include "traces/json_stream/escapes.h"
#include "traces/pytorch_et/node_facts.h"

namespace quintet::pytorch_et {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

ProcessGroup group_of(const Json& told) {
  constexpr std::int64_t most_ranks = std::int64_t{1} << 20;
  ProcessGroup group{.name = text_of(told, "pg_name"), .description = text_of(told, "pg_desc")};
  if (const auto size = told.find("group_size"); size != told.end() && size->is_number_integer()) {
    const auto value = size->get<std::int64_t>();
    if (value > 0 && value <= most_ranks) group.size = static_cast<int>(value);
  }
  const auto ranks = told.find("ranks");
  if (ranks == told.end() || !ranks->is_array()) return group;
  group.ranks = pytorch::ranks_in_list(ranks->dump());
  if (!ranks->empty()) return group;
  group.ranks.resize(static_cast<std::size_t>(group.size));  // none are named: all ranks
  std::iota(group.ranks.begin(), group.ranks.end(), 0);
  return group;
}

}  // namespace

std::vector<ProcessGroup> groups_at_init(const NodeFields& fields) {
  const auto inputs = json_stream::array_elements(fields[NodeField::inputs]);
  if (inputs.empty()) return {};
  const std::string text = json_stream::unescaped(json_stream::without_quotes(inputs.front()));
  const auto list = parse_json(text, "process groups");
  if (!list || !list->is_array()) return {};
  std::vector<ProcessGroup> groups;
  for (const Json& told : *list)
    if (told.is_object()) groups.push_back(group_of(told));
  return groups;
}

}  // namespace quintet::pytorch_et
