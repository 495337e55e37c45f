#include "traces/chakra/protobuf_nodes.h"

#include <fmt/format.h>

#include <limits>

#include "traces/chakra/attributes.h"
#include "traces/chakra/et_def.pb.h"
#include "traces/chakra/process_groups.h"
#include "traces/chakra/recognise.h"
#include "traces/chakra/tables.h"

namespace quintet::chakra {

namespace {

using ChakraProtoMsg::AttributeProto;

bool all_set(const ChakraProtoMsg::BoolList& list) {
  for (const bool value : list.values())
    if (!value) return false;
  return true;
}

AttributeValue value_of(const AttributeProto& attribute) {
  using Kind = AttributeValue::Kind;
  switch (attribute.value_case()) {
    case AttributeProto::kDoubleVal:
      return {Kind::real, 0, attribute.double_val()};
    case AttributeProto::kFloatVal:
      return {Kind::real, 0, static_cast<double>(attribute.float_val())};
    case AttributeProto::kInt32Val:
      return integer_value(std::int64_t{attribute.int32_val()});
    case AttributeProto::kInt64Val:
      return integer_value(std::int64_t{attribute.int64_val()});
    case AttributeProto::kUint32Val:
      return integer_value(std::int64_t{attribute.uint32_val()});
    case AttributeProto::kUint64Val:
      return integer_value(std::uint64_t{attribute.uint64_val()});
    case AttributeProto::kSint32Val:
      return integer_value(std::int64_t{attribute.sint32_val()});
    case AttributeProto::kSint64Val:
      return integer_value(std::int64_t{attribute.sint64_val()});
    case AttributeProto::kFixed32Val:
      return integer_value(std::int64_t{attribute.fixed32_val()});
    case AttributeProto::kFixed64Val:
      return integer_value(std::uint64_t{attribute.fixed64_val()});
    case AttributeProto::kSfixed32Val:
      return integer_value(std::int64_t{attribute.sfixed32_val()});
    case AttributeProto::kSfixed64Val:
      return integer_value(std::int64_t{attribute.sfixed64_val()});
    case AttributeProto::kBoolVal:
      return integer_value(std::int64_t{attribute.bool_val()});
    case AttributeProto::kBoolList:
      return {Kind::flags, 0, 0, {}, all_set(attribute.bool_list())};
    case AttributeProto::kStringVal:
      return {Kind::text, 0, 0, attribute.string_val()};
    case AttributeProto::kBytesVal:
      return {Kind::text, 0, 0, attribute.bytes_val()};
    case AttributeProto::VALUE_NOT_SET:
      return {};
  }
  return {};
}

template <class Message>
bool parsed(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

std::optional<Error> take_metadata(RankNodes& nodes, std::string_view bytes,
                                   const Messages& messages) {
  ChakraProtoMsg::GlobalMetadata metadata;
  if (!parsed(metadata, bytes) || !is_metadata(bytes))
    return Error{messages.place(), "is no GlobalMetadata, with which Chakra's files begin"};
  for (const AttributeProto& attribute : metadata.attr()) {
    const AttributeValue value = value_of(attribute);
    if (attribute.name() == "quintet_tables") {
      Result<Tables> tables = parse_tables(value.text, messages.where());
      if (!tables) return tables.error();
      nodes.tables = std::move(*tables);
    }
    if (attribute.name() == "quintet_stage") nodes.stage = value.integer;
    if (attribute.name() == "quintet_role") nodes.role = value.text;
    if (attribute.name() == "quintet_host") nodes.host = value.text;
  }
  using Limits = std::numeric_limits<int>;
  if (nodes.stage < Limits::min() || nodes.stage > Limits::max())
    return Error{messages.place(), fmt::format("quintet_stage is {}", nodes.stage)};
  return {};
}

NodeType type_of(int type, RankNodes& nodes) {
  if (type >= 0 && type <= static_cast<int>(NodeType::collective))
    return static_cast<NodeType>(type);
  ++nodes.unknown_types;
  return NodeType::invalid;
}

std::optional<std::string> take_node(RankNodes& nodes, const ChakraProtoMsg::Node& from) {
  Node& node = nodes.nodes.emplace_back();
  node.id = from.id();
  node.name = from.name();
  node.type = type_of(static_cast<int>(from.type()), nodes);
  node.data_after.assign(from.data_deps().begin(), from.data_deps().end());
  node.control_after.assign(from.ctrl_deps().begin(), from.ctrl_deps().end());
  node.duration_micros = from.duration_micros();
  for (const AttributeProto& attribute : from.attr())
    if (auto wrong = take_attribute(node, attribute.name(), value_of(attribute))) return wrong;
  if (node.type == NodeType::metadata) take_groups_of_torch(nodes.groups, from.inputs().values());
  return {};
}

}  // namespace

Result<RankNodes> read_protobuf_nodes(Messages& messages, const std::function<void()>& told) {
  constexpr std::size_t often = 4096, most = std::numeric_limits<std::int32_t>::max();
  RankNodes nodes;
  nodes.where = messages.where();
  const auto first = messages.next();
  if (!first) return first.error();
  if (!*first) return Error{messages.where(), "is empty; expected Chakra's messages"};
  if (auto wrong = take_metadata(nodes, **first, messages)) return *wrong;
  ChakraProtoMsg::Node node;  // its memory serves all
  while (true) {
    const auto message = messages.next();
    if (!message) return message.error();
    if (!*message) return nodes;
    if (nodes.nodes.size() >= most) return Error{messages.where(), "has more than 2^31 nodes"};
    if (!parsed(node, **message))
      return Error{messages.place(), "is no node of Chakra's: the file is damaged; copy it again"};
    if (const auto wrong = take_node(nodes, node))
      return Error{fmt::format("{}: node {}", messages.where(), node.id()), *wrong};
    if (told && nodes.nodes.size() % often == 0) told();
  }
}

}  // namespace quintet::chakra
