#include "traces/pytorch_et/node_fields.h"

#include <array>
#include <span>
#include <utility>

#include "traces/json_stream/ondemand_values.h"

namespace quintet::pytorch_et {
namespace {

namespace ondemand = simdjson::ondemand;

struct Key {
  std::string_view name;
  NodeField field;
};

// Of a node; those that attributes have since schema 1.0.2 stand there in 1.0.1.
constexpr std::array node_keys{
    Key{"name", NodeField::name},
    Key{"id", NodeField::id},
    Key{"ctrl_deps", NodeField::parent},
    Key{"parent", NodeField::parent},
    Key{"inputs", NodeField::inputs},
    Key{"input_shapes", NodeField::shapes},
    Key{"input_types", NodeField::types},
    Key{"outputs", NodeField::outputs},
    Key{"output_types", NodeField::output_types},
};
constexpr std::array attribute_keys{
    Key{"rf_id", NodeField::record},
    Key{"fw_parent", NodeField::forward_parent},
    Key{"seq_id", NodeField::sequence},
    Key{"tid", NodeField::thread},
    Key{"fw_tid", NodeField::forward_thread},
    Key{"collective_name", NodeField::collective},
    Key{"dtype", NodeField::data_type},
    Key{"in_msg_nelems", NodeField::elements_in},
    Key{"out_msg_nelems", NodeField::elements_out},
    Key{"pg_name", NodeField::group_name},
    Key{"pg_desc", NodeField::group_description},
    Key{"pg_size", NodeField::group_size},
    Key{"global_rank_start", NodeField::rank_start},
    Key{"global_rank_stride", NodeField::rank_stride},
};
constexpr std::array input_keys{
    Key{"values", NodeField::inputs},
    Key{"shapes", NodeField::shapes},
    Key{"types", NodeField::types},
};
constexpr std::array output_keys{
    Key{"values", NodeField::outputs},
    Key{"types", NodeField::output_types},
};

std::optional<NodeField> field_of(std::span<const Key> keys, std::string_view name) {
  for (const Key& key : keys)
    if (key.name == name) return key.field;
  return std::nullopt;
}

simdjson::error_code put_parts(NodeFields& fields, std::span<const Key> keys,
                               ondemand::value value) {
  ondemand::object parts;
  SIMDJSON_TRY(value.get_object().get(parts));
  for (auto entry : parts) {
    ondemand::field part;
    SIMDJSON_TRY(std::move(entry).get(part));
    if (const auto field = field_of(keys, json_stream::text_of(part.key())))
      SIMDJSON_TRY(json_stream::put_value(fields, *field, part.value()));
  }
  return simdjson::SUCCESS;
}

// {"name": "rf_id", "type": "uint64", "value": 3}: the name comes first, or the value is not taken.
simdjson::error_code put_attribute(NodeFields& fields, ondemand::object attribute) {
  std::optional<NodeField> field;
  for (auto entry : attribute) {
    ondemand::field part;
    SIMDJSON_TRY(std::move(entry).get(part));
    const std::string_view key = json_stream::text_of(part.key());
    if (key == "name") {
      ondemand::raw_json_string name;
      SIMDJSON_TRY(part.value().get_raw_json_string().get(name));
      field = field_of(attribute_keys, json_stream::text_of(name));
    } else if (key == "value" && field) {
      SIMDJSON_TRY(json_stream::put_value(fields, *field, part.value()));
    }
  }
  return simdjson::SUCCESS;
}

simdjson::error_code put_attributes(NodeFields& fields, ondemand::value value) {
  ondemand::array attributes;
  SIMDJSON_TRY(value.get_array().get(attributes));
  for (auto element : attributes) {
    ondemand::object attribute;
    SIMDJSON_TRY(element.get_object().get(attribute));
    SIMDJSON_TRY(put_attribute(fields, attribute));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code put_node(NodeFields& fields, ondemand::object node) {
  for (auto entry : node) {
    ondemand::field part;
    SIMDJSON_TRY(std::move(entry).get(part));
    const std::string_view key = json_stream::text_of(part.key());
    const bool is_object = json_stream::is_object(part.value());
    if (key == "attrs") {
      SIMDJSON_TRY(put_attributes(fields, part.value()));
    } else if (key == "inputs" && is_object) {
      SIMDJSON_TRY(put_parts(fields, input_keys, part.value()));
    } else if (key == "outputs" && is_object) {
      SIMDJSON_TRY(put_parts(fields, output_keys, part.value()));
    } else if (const auto own = field_of(node_keys, key)) {
      SIMDJSON_TRY(json_stream::put_value(fields, *own, part.value()));
    } else if (const auto flat = field_of(attribute_keys, key)) {
      SIMDJSON_TRY(json_stream::put_value(fields, *flat, part.value()));
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct NodeParser::Inside {
  ondemand::parser parser;
  NodeFields fields;
};

NodeParser::NodeParser(OnNode on_node)
    : inside_(std::make_unique<Inside>()), on_node_(std::move(on_node)) {}
NodeParser::~NodeParser() = default;

std::optional<json_stream::ElementFault> NodeParser::parse(char* array, std::size_t size) {
  NodeFields& fields = inside_->fields;
  return json_stream::parse_objects(inside_->parser, array, size, replaced_,
                                    "a node {\"id\": ..., \"name\": ...}",
                                    [&](ondemand::object node, std::optional<std::string>& wrong) {
                                      fields.clear();
                                      if (const auto error = put_node(fields, node)) return error;
                                      wrong = on_node_(fields);
                                      if (!wrong) ++nodes_;
                                      return simdjson::SUCCESS;
                                    });
}

}  // namespace quintet::pytorch_et
