// What stands in one node of the file, whichever schema it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "traces/json_stream/field_texts.h"
#include "traces/json_stream/list_document.h"

namespace quintet::pytorch_et {

enum class NodeField : std::uint8_t {
  name,
  id,
  parent,
  record,
  forward_parent,
  sequence,
  thread,
  forward_thread,
  inputs,  // values: JSON
  shapes,
  types,
  outputs,
  output_types,
  collective,
  data_type,
  elements_in,
  elements_out,
  group_name,
  group_description,
  group_size,
  rank_start,
  rank_stride,
};
inline constexpr std::size_t node_field_count =
    static_cast<std::size_t>(NodeField::rank_stride) + 1;
using NodeFields = json_stream::FieldTexts<NodeField, node_field_count>;

class NodeParser {
 public:
  // Returns what is wrong with the node, or nothing.
  using OnNode = std::function<std::optional<std::string>(const NodeFields&)>;
  explicit NodeParser(OnNode on_node);
  ~NodeParser();
  std::optional<json_stream::ElementFault> parse(char* array, std::size_t size);
  std::size_t nodes() const { return nodes_; }
  std::size_t replaced() const { return replaced_; }  // bytes that may not stand in JSON

 private:
  struct Inside;  // the library's
  std::unique_ptr<Inside> inside_;
  OnNode on_node_;
  std::size_t nodes_ = 0, replaced_ = 0;
};

}  // namespace quintet::pytorch_et
