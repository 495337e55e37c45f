#include "traces/chakra/json_nodes.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "traces/chakra/attributes.h"

namespace quintet::chakra {

namespace {

namespace dom = simdjson::dom;

AttributeValue value_of(const dom::element& element) {
  using Kind = AttributeValue::Kind;
  std::int64_t integer = 0;
  std::uint64_t large = 0;
  double real = 0;
  bool flag = false;
  std::string_view text;
  dom::array list;
  if (element.get(integer) == simdjson::SUCCESS) return integer_value(integer);
  if (element.get(large) == simdjson::SUCCESS) return integer_value(large);
  if (element.get(real) == simdjson::SUCCESS) return {Kind::real, 0, real};
  if (element.get(flag) == simdjson::SUCCESS) return integer_value(std::int64_t{flag});
  if (element.get(text) == simdjson::SUCCESS) return {Kind::text, 0, 0, text};
  if (element.get(list) != simdjson::SUCCESS) return {};
  AttributeValue flags{Kind::flags};
  for (const dom::element one : list)
    if (one.get(flag) == simdjson::SUCCESS && !flag) flags.all_set = false;
  return flags;
}

std::optional<std::string> take_unsigned(std::uint64_t& into, std::string_view key,
                                         const dom::element& value) {
  if (value.get(into) == simdjson::SUCCESS) return {};
  return fmt::format("{} is no integer of 0 or more; expected one", key);
}

// A list of ids, or one alone.
std::optional<std::string> take_ids(std::vector<std::uint64_t>& into, std::string_view key,
                                    const dom::element& value) {
  dom::array list;
  if (value.is_null()) return {};
  if (value.get(list) != simdjson::SUCCESS) return take_unsigned(into.emplace_back(), key, value);
  for (const dom::element id : list)
    if (auto wrong = take_unsigned(into.emplace_back(), key, id)) return wrong;
  return {};
}

std::optional<std::string> take_type(RankNodes& nodes, Node& node, const dom::element& value) {
  std::uint64_t type = 0;
  if (auto wrong = take_unsigned(type, "NodeType", value)) return wrong;
  if (type <= static_cast<std::uint64_t>(NodeType::collective))
    node.type = static_cast<NodeType>(type);
  else
    ++nodes.unknown_types;
  return {};
}

std::optional<std::string> take_field(RankNodes& nodes, Node& node, std::string_view key,
                                      const dom::element& value) {
  std::string_view text;
  if (key == "Id" || key == "id") return take_unsigned(node.id, key, value);
  if (key == "NodeType") return take_type(nodes, node, value);
  if (key == "runtime") return take_unsigned(node.duration_micros, key, value);
  if (key == "data_deps") return take_ids(node.data_after, key, value);
  if (key == "ctrl_deps" || key == "ctrlDeps") return take_ids(node.control_after, key, value);
  if (key != "Name" && key != "name") return take_attribute(node, key, value_of(value));
  if (value.get(text) == simdjson::SUCCESS) node.name = text;
  return {};
}

std::optional<Error> take_node(RankNodes& nodes, const dom::element& element) {
  dom::object object;
  const std::size_t index = nodes.nodes.size();
  if (element.get(object) != simdjson::SUCCESS)
    return Error{fmt::format("{}: workload_graph[{}]", nodes.where, index),
                 "is no object; expected a node"};
  Node& node = nodes.nodes.emplace_back();
  for (const dom::key_value_pair field : object)
    if (const auto wrong = take_field(nodes, node, field.key, field.value))
      return Error{fmt::format("{}: workload_graph[{}], node {}", nodes.where, index, node.id),
                   *wrong};
  return {};
}

}  // namespace

bool is_json(std::string_view beginning) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t brace = beginning.find_first_not_of(space);
  if (brace == std::string_view::npos || beginning[brace] != '{') return false;
  const std::size_t next = beginning.find_first_not_of(space, brace + 1);
  return next != std::string_view::npos && (beginning[next] == '"' || beginning[next] == '}');
}

bool is_workload_graph(std::string_view json) {
  return is_json(json) && json.find("\"workload_graph\"") != std::string_view::npos;
}

Result<RankNodes> parse_json_nodes(std::string_view json, const std::string& where) {
  RankNodes nodes;
  nodes.where = where;
  dom::parser parser;
  dom::element all;
  if (const auto wrong = parser.parse(json.data(), json.size()).get(all))
    return Error{where, fmt::format("is no JSON: {}", simdjson::error_message(wrong))};
  dom::array graph;
  if (all["workload_graph"].get(graph) != simdjson::SUCCESS)
    return Error{where, "has no list \"workload_graph\"; expected one of nodes"};
  std::string_view name;
  if (all["workload_name"].get(name) == simdjson::SUCCESS) nodes.workload_name = name;
  for (const dom::element element : graph)
    if (const auto wrong = take_node(nodes, element)) return *wrong;
  return nodes;
}

}  // namespace quintet::chakra
