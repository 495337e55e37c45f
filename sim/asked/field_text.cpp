#include "sim/asked/field_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/jobs/job_file.h"
#include "sim/json/json_value.h"
#include "sim/money/prices_file.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/faults/fault_file.h"
#include "sim/topology/file/topology_file.h"
#include "sim/training_run/loss_curves.h"

namespace quintet {
namespace {

// The object that an entry of a list is, if it is one.
const FieldDescription* entry_object(const FieldDescription& field) {
  const bool objects = field.kind == FieldKind::list && !field.fields.empty() &&
                       field.fields.front().kind == FieldKind::object;
  return objects ? &field.fields.front() : nullptr;
}

bool is_object(const FieldDescription& field) {
  return field.kind == FieldKind::object || field.kind == FieldKind::object_or_file;
}

std::string usual_text(const FieldDescription& field) {
  if (field.required) return "must be there";
  return field.usual;
}

struct FieldLine {
  std::string path;
  const FieldDescription* field;
};

// The object's own fields, then those of what it holds.
void add_lines(const FieldDescription& object, const std::string& prefix,
               std::vector<FieldLine>& lines) {
  for (const FieldDescription& field : object.fields) {
    lines.push_back({prefix + field.key, &field});
    if (is_object(field)) add_lines(field, prefix + field.key + ".", lines);
    if (const FieldDescription* const entry = entry_object(field))
      add_lines(*entry, prefix + field.key + "[0].", lines);
  }
}

std::string in_cell(std::string text) {
  for (char& letter : text)
    if (letter == '|') letter = '/';
  return text;
}

constexpr const char* pattern = "^[+-]?[0-9]";

JsonValue with_unit(const char* example) {
  return {{"type", "string"},
          {"pattern", std::string(pattern) + ".*[A-Za-z$]"},
          {"examples", std::vector<std::string>{example}}};
}

JsonValue bounded(const FieldDescription& field, const char* type) {
  JsonValue json{{"type", type}};
  const auto bound = [&](const char* key, double value) {
    if (!std::isfinite(value)) return;
    if (field.kind == FieldKind::whole)
      json[key] = static_cast<std::int64_t>(value);
    else
      json[key] = value;
  };
  bound("minimum", field.least);
  bound("maximum", field.most);
  return json;
}

JsonValue schema_of(const FieldDescription& field);

JsonValue object_schema(const FieldDescription& object) {
  JsonValue json{{"type", "object"}, {"properties", JsonValue::object()}};
  JsonValue required = JsonValue::array();
  for (const FieldDescription& field : object.fields) {
    json["properties"][field.key] = schema_of(field);
    if (field.required) required.push_back(field.key);
  }
  if (!required.empty()) json["required"] = required;
  json["additionalProperties"] = false;
  return json;
}

JsonValue kind_schema(const FieldDescription& field) {
  switch (field.kind) {
    case FieldKind::text:
      return {{"type", "string"}};
    case FieldKind::truth:
      return {{"type", "boolean"}};
    case FieldKind::whole:
      return bounded(field, "integer");
    case FieldKind::number:
      return bounded(field, "number");
    case FieldKind::size:
      return with_unit("80 GiB");
    case FieldKind::time:
      return with_unit("1.2 us");
    case FieldKind::bandwidth:
      return with_unit("450 GB/s");
    case FieldKind::flop_rate:
      return with_unit("989.4 TFLOP/s");
    case FieldKind::power:
      return with_unit("700 W");
    case FieldKind::price:
      return with_unit("2.5 $/h");
    case FieldKind::word:
      return {{"type", "string"}, {"enum", field.words}};
    case FieldKind::object:
      return object_schema(field);
    case FieldKind::object_or_file: {
      JsonValue either = JsonValue::array();
      either.push_back({{"type", "string"}});
      either.push_back(object_schema(field));
      return {{"anyOf", either}};
    }
    case FieldKind::list: {
      JsonValue json{{"type", "array"}};
      if (!field.fields.empty()) json["items"] = schema_of(field.fields.front());
      return json;
    }
    case FieldKind::named_texts:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case FieldKind::other:
      return JsonValue::object();
  }
  return JsonValue::object();
}

JsonValue schema_of(const FieldDescription& field) {
  JsonValue json = kind_schema(field);
  if (!field.meaning.empty()) json["description"] = field.meaning;
  if (!field.usual.empty()) json["default"] = JsonValue::parse(field.usual);
  return json;
}

}  // namespace

std::string fields_text(const FieldDescription& object, const std::string& prefix) {
  std::vector<FieldLine> lines;
  add_lines(object, prefix, lines);
  std::string text;
  for (const FieldLine& line : lines) {
    const std::string usual = usual_text(*line.field);
    const bool parent = is_object(*line.field) || entry_object(*line.field) != nullptr;
    text += fmt::format("{}{}\n", line.path, usual.empty() ? "" : "  [" + usual + "]");
    if (!line.field->meaning.empty()) text += "    " + line.field->meaning + "\n";
    if (!parent || !is_object(*line.field)) text += "    " + kind_text(*line.field) + "\n";
  }
  return text;
}

std::string fields_markdown(const FieldDescription& file) {
  std::string text;
  for (const FieldDescription& layer : file.fields) {
    if (!is_object(layer)) continue;
    std::vector<FieldLine> lines;
    add_lines(layer, "", lines);
    text += fmt::format(
        "`{}`: {}\n\n| field | default | accepts | meaning |\n"
        "| --- | --- | --- | --- |\n",
        layer.key, layer.meaning);
    for (const FieldLine& line : lines)
      text += fmt::format("| `{}` | {} | {} | {} |\n", line.path, in_cell(usual_text(*line.field)),
                          in_cell(kind_text(*line.field)), in_cell(line.field->meaning));
    text += "\n";
  }
  return text;
}

namespace {

constexpr const char* markdown_head =
    "| field | default | accepts | meaning |\n| --- | --- | --- | --- |\n";

std::string markdown_row(const FieldLine& line) {
  return fmt::format("| `{}` | {} | {} | {} |\n", line.path, in_cell(usual_text(*line.field)),
                     in_cell(kind_text(*line.field)), in_cell(line.field->meaning));
}

}  // namespace

std::string file_markdown(const FieldDescription& file) {
  std::string own, parts;
  for (const FieldDescription& field : file.fields) {
    const FieldDescription* const entry = entry_object(field);
    const FieldDescription* const object = is_object(field) ? &field : entry;
    own += markdown_row({field.key, &field});
    if (object == nullptr) continue;
    std::vector<FieldLine> lines;
    add_lines(*object, "", lines);
    parts += fmt::format("\n## `{}{}`\n\n{}\n\n{}", field.key, entry ? "[]" : "",
                         field.meaning.empty() ? "Of it:" : field.meaning, markdown_head);
    for (const FieldLine& line : lines) parts += markdown_row(line);
  }
  return markdown_head + own + parts;
}

std::string schema_text(const FieldDescription& file, const std::string& title) {
  JsonValue json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  json.update(object_schema(file));
  return json.dump(2) + "\n";
}

Result<FieldDescription> fields_of_file(const std::string& kind) {
  if (kind == "plan") return plan_fields();
  if (kind == "topology" || kind == "machine") return topology_fields();
  if (kind == "costs") return cost_fields();
  if (kind == "prices") return price_fields();
  if (kind == "faults") return fault_fields();
  if (kind == "losses") return loss_curve_fields();
  if (kind == "jobs") return job_fields();
  return Error{in_quotes(kind),
               "is no kind of file; there are plan, topology, costs, prices, faults, losses, "
               "jobs"};
}

}  // namespace quintet
