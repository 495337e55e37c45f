#include "traces/chakra/attributes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "sim/base/quantity_text.h"

namespace quintet::chakra {

namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();

struct IntegerRow {
  std::string_view name;
  std::int64_t Node::*member;
  std::int64_t least;
};
constexpr std::array integer_rows{
    IntegerRow{"num_ops", &Node::operations, 0}, IntegerRow{"tensor_size", &Node::tensor_size, 0},
    IntegerRow{"comm_size", &Node::size, 0},     IntegerRow{"comm_type", &Node::collective, 0},
    IntegerRow{"comm_src", &Node::source, -1},   IntegerRow{"comm_dst", &Node::destination, -1},
    IntegerRow{"comm_tag", &Node::tag, any},     IntegerRow{"stream", &Node::stream, any},
};

struct OwnRow {
  std::string_view name;  // after "quintet_"
  std::int64_t OwnFacts::*member;
  std::int64_t least, most;
};
constexpr std::int64_t index_most = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t small_least = std::numeric_limits<std::int16_t>::min();
constexpr std::int64_t small_most = std::numeric_limits<std::int16_t>::max();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::array own_rows{
    OwnRow{"info", &OwnFacts::info, 0, index_most},
    OwnRow{"peers", &OwnFacts::peers, 0, index_most},
    OwnRow{"group", &OwnFacts::group, -1, index_most},
    OwnRow{"sequence", &OwnFacts::sequence, any, most},
    OwnRow{"tag", &OwnFacts::tag, any, most},
    OwnRow{"layer", &OwnFacts::layer, -index_most, index_most},
    OwnRow{"micro_batch", &OwnFacts::micro_batch, -index_most, index_most},
    OwnRow{"chunk", &OwnFacts::chunk, small_least, small_most},
    OwnRow{"bucket", &OwnFacts::bucket, small_least, small_most},
    OwnRow{"picoseconds", &OwnFacts::work, any, most},
    OwnRow{"start", &OwnFacts::start, any, most},
    OwnRow{"moving", &OwnFacts::moving, any, most},
    OwnRow{"end", &OwnFacts::end, any, most},
};
constexpr std::string_view own_prefix = "quintet_";

bool is_whole(double value) {
  return value >= -0x1p63 && value < 0x1p63;
}

std::optional<std::string> take_integer(std::int64_t& into, std::string_view name,
                                        const AttributeValue& value, std::int64_t least,
                                        std::int64_t greatest) {
  std::int64_t taken = value.integer;
  if (value.kind == AttributeValue::Kind::real && is_whole(value.real))
    taken = static_cast<std::int64_t>(value.real);
  else if (value.kind != AttributeValue::Kind::integer)
    return fmt::format("{} is no integer; expected one", name);
  if (taken < least || taken > greatest)
    return fmt::format("{} is {}; expected {} to {}", name, taken, least, greatest);
  into = taken;
  return {};
}

std::optional<std::string> take_real(std::optional<double>& into, std::string_view name,
                                     const AttributeValue& value) {
  if (value.kind != AttributeValue::Kind::real)
    return fmt::format("{} is no number; expected one", name);
  into = value.real;
  return {};
}

std::optional<std::string> take_type(OwnFacts& own, const AttributeValue& value) {
  for (int i = 0; i <= static_cast<int>(DataType::int8); ++i)
    if (name_of(static_cast<DataType>(i)) == value.text)
      return own.type = static_cast<DataType>(i), std::nullopt;
  return "quintet_data_type is none that this version knows";
}

std::optional<std::string> take_own(Node& node, std::string_view name,
                                    const AttributeValue& value) {
  const std::string_view fact = name.substr(own_prefix.size());
  for (const OwnRow& row : own_rows)
    if (row.name == fact)
      return take_integer(node.own.*row.member, name, value, row.least, row.most);
  if (fact == "data_type") return take_type(node.own, value);
  if (fact == "flops") return take_real(node.own.flops, name, value);
  if (fact == "touched") return take_real(node.own.touched, name, value);
  return {};
}

std::optional<std::string> take_group(Node& node, const AttributeValue& value) {
  if (value.kind == AttributeValue::Kind::text)
    node.group = value.text;
  else if (value.kind == AttributeValue::Kind::integer)
    node.group = std::to_string(value.integer);
  else
    return "pg_name is neither text nor an integer; expected a group's name";
  return {};
}

}  // namespace

AttributeValue integer_value(std::int64_t value) {
  return {AttributeValue::Kind::integer, value};
}
AttributeValue integer_value(std::uint64_t value) {
  constexpr auto largest = static_cast<std::uint64_t>(most);
  return integer_value(static_cast<std::int64_t>(value < largest ? value : largest));
}

std::optional<std::string> take_attribute(Node& node, std::string_view name,
                                          const AttributeValue& value) {
  if (value.kind == AttributeValue::Kind::none) return {};
  if (name.starts_with(own_prefix)) return take_own(node, name, value);
  for (const IntegerRow& row : integer_rows)
    if (row.name == name) return take_integer(node.*row.member, name, value, row.least, most);
  if (name == "pg_name") return take_group(node, value);
  if (name == "involved_dim") node.on_some_dimensions = !value.all_set;
  if (name != "is_cpu_op") return {};
  std::int64_t on_cpu = 0;
  if (auto wrong = take_integer(on_cpu, name, value, any, most)) return wrong;
  node.on_cpu = on_cpu != 0;
  return {};
}

}  // namespace quintet::chakra
