#include "traces/pytorch_et/execution_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/shown_text.h"
#include "traces/json_stream/array_elements.h"
#include "traces/json_stream/decimal_numbers.h"
#include "traces/json_stream/window_sources.h"
#include "traces/pytorch_et/node_facts.h"
#include "traces/trace/name_table.h"

namespace quintet {
namespace {

using pytorch_et::NodeField;
using pytorch_et::NodeFields;

std::int64_t number(const NodeFields& fields, NodeField field) {
  if (!fields.has(field)) return -1;
  return std::max<std::int64_t>(-1, json_stream::integer_of(fields[field]).value_or(-1));
}

// PyTorch's 0 is none.
std::int64_t identifier(const NodeFields& fields, NodeField field) {
  const std::int64_t value = number(fields, field);
  return value > 0 ? value : -1;
}

std::int32_t thread_number(const NodeFields& fields, NodeField field) {
  const std::int64_t value = identifier(fields, field);
  return value <= 0x7FFF'FFFF ? static_cast<std::int32_t>(value) : -1;
}

class Taking {
 public:
  std::optional<std::string> take(const NodeFields& fields);
  ExecutionTrace trace(bool breaks_off, std::size_t replaced) &&;
  void set_schema(std::string schema) { trace_.schema = std::move(schema); }

 private:
  void take_forms(ExecutionNode& node, const NodeFields& fields);
  ExecutionTrace trace_;
  NameTable names_;
  pytorch::GroupTable groups_;
  std::map<std::string, std::int64_t> left_out_;
};

std::optional<std::string> Taking::take(const NodeFields& fields) {
  const auto id = json_stream::integer_of(fields[NodeField::id]);
  if (!id || *id < 0)
    return fmt::format("its \"id\" is {}: expected a whole number from 0",
                       in_quotes(fields[NodeField::id]));
  const std::string_view name = fields[NodeField::name];
  ExecutionNode node{.id = *id, .name = names_.index_of(name)};
  node.parent = number(fields, NodeField::parent);
  node.forward_parent = identifier(fields, NodeField::forward_parent);
  node.record = identifier(fields, NodeField::record);
  node.sequence = number(fields, NodeField::sequence);
  node.thread = thread_number(fields, NodeField::thread);
  node.forward_thread = thread_number(fields, NodeField::forward_thread);
  take_forms(node, fields);
  if (name == "record_param_comms") {
    if (auto facts = pytorch_et::communication_of(fields, groups_)) {
      if (facts->group < 0) ++left_out_["process groups that are told by an address only"];
      node.communication = static_cast<std::int32_t>(trace_.communications.size());
      trace_.communications.push_back(std::move(*facts));
    }
  } else if (name == "## process_group:init ##") {
    auto groups = pytorch_et::groups_at_init(fields);
    if (groups.empty()) ++left_out_["lists of process groups that cannot be read"];
    for (ProcessGroup& group : groups) groups_.tell(std::move(group));
  }
  trace_.nodes.push_back(node);
  return std::nullopt;
}

void Taking::take_forms(ExecutionNode& node, const NodeFields& fields) {
  if (json_stream::array_elements(fields[NodeField::types]).empty()) return;
  const auto forms = pytorch_et::input_forms(fields[NodeField::shapes], fields[NodeField::types]);
  node.shapes = names_.index_of(forms.shapes);
  node.types = names_.index_of(forms.types);
}

ExecutionTrace Taking::trace(bool breaks_off, std::size_t replaced) && {
  if (breaks_off)
    left_out_[fmt::format("the end of the file: it breaks off after node {}",
                          trace_.nodes.size())] = 1;
  if (replaced > 0)
    left_out_["bytes that may not stand in JSON, shown as \"?\" or a space"] =
        static_cast<std::int64_t>(replaced);
  if (groups_.contradictions() > 0)
    left_out_["process groups told in two ways, of which the first counts"] =
        groups_.contradictions();
  for (const auto& [what, count] : left_out_) trace_.left_out.push_back({what, count});
  trace_.names = std::move(names_).take();
  trace_.groups = std::move(groups_).take();
  return std::move(trace_);
}

Result<ExecutionTrace> read_whole(json_stream::JsonWindow& window) {
  Taking taking;
  pytorch_et::NodeParser parser([&](const NodeFields& fields) { return taking.take(fields); });
  const json_stream::ListReader reader{
      .list = "nodes",
      .element = "node",
      .document = "an execution trace of PyTorch, {\"schema\": ..., \"nodes\": [...]}",
      .may_be_bare = false,
      .parse = [&](char* array, std::size_t size) { return parser.parse(array, size); },
      .count = [&] { return parser.nodes(); },
      .wants = [](std::string_view key) { return key == "schema"; },
      .on_value = [&](const std::string&, std::string_view value) -> std::optional<Error> {
        taking.set_schema(shown(json_stream::without_quotes(value)));
        return std::nullopt;
      }};
  const auto end = json_stream::read_list(window, reader);
  if (!end) return end.error();
  ExecutionTrace trace = std::move(taking).trace(end->breaks_off, parser.replaced());
  trace.file = window.where();
  return trace;
}

}  // namespace

bool is_execution_trace(std::string_view beginning) {
  const std::size_t first = beginning.find_first_not_of(" \n\r\t");
  if (first == std::string_view::npos || beginning[first] != '{') return false;
  const auto has = [&](std::string_view key) {
    return beginning.find(key) != std::string_view::npos;
  };
  return has("\"schema\"") && has("\"nodes\"") && !has("\"traceEvents\"");
}

Result<ExecutionTrace> read_execution_trace(const std::filesystem::path& file,
                                            const ReadingProgress& progress) {
  auto source = ByteSource::open(file);
  if (!source) return source.error();
  json_stream::JsonWindow window = json_stream::window_on(*source, progress, file.string());
  return read_whole(window);
}

Result<ExecutionTrace> parse_execution_trace(std::string_view text, const std::string& where,
                                             const ReadingProgress& progress) {
  json_stream::JsonWindow window = json_stream::window_on(text, progress, where);
  return read_whole(window);
}

}  // namespace quintet
