#include "sim/cost/file/cost_table_file.h"

#include <algorithm>

#include "sim/base/json_fields.h"
#include "sim/cost/file/communication_costs_file.h"
#include "sim/cost/file/cost_fields.h"
#include "sim/cost/file/kernel_costs_file.h"
#include "sim/cost/file/operator_curves_file.h"
#include "sim/cost/file/operator_text.h"
#include "sim/cost/measured_operators.h"
#include "sim/cost/operator_family.h"

namespace quintet {
namespace {

LaunchCosts read_launch(JsonObject& fields) {
  LaunchCosts costs;
  costs.eager = fields.seconds("eager");
  costs.graph = fields.seconds("graph");
  costs.collective = fields.seconds("collective");
  costs.gap = fields.seconds("gap");
  costs.queue = fields.integer("queue", 1, 1 << 20);
  costs.synchronise = fields.seconds("synchronise");
  costs.step = fields.seconds_or("step", Seconds{});
  costs.source = origin_of(fields);
  return costs;
}

CopyCosts read_copy(JsonObject& fields) {
  CopyCosts costs;
  costs.host_to_device = fields.bandwidth("host_to_device");
  costs.device_to_host = fields.bandwidth("device_to_host");
  costs.device_to_device = fields.bandwidth("device_to_device");
  costs.start = fields.seconds("start");
  costs.pageable_to_device = fields.bandwidth_or("pageable_to_device", {});
  costs.device_to_pageable = fields.bandwidth_or("device_to_pageable", {});
  costs.both_ways = number_in_or(fields, "both_ways", 1, 1, 100);
  costs.source = origin_of(fields);
  return costs;
}

StageCosts read_stage(JsonObject& fields) {
  StageCosts costs;
  costs.forward = fields.seconds("forward");
  costs.input_gradient = fields.seconds("input_gradient");
  costs.weight_gradient = fields.seconds("weight_gradient");
  costs.update = fields.seconds_or("update", Seconds{});
  return costs;
}

// A part of the table: measured stages and operators may leave it out, formulas may not.
template <class Costs>
void read_part(JsonObject& root, std::string_view key, bool measured,
               Costs (*read)(JsonObject& fields), Costs& costs) {
  if (measured && !root.has(key)) return;
  JsonObject fields = root.object(key);
  if (root.failed()) return;
  costs = read(fields);
  finish(fields, root);
}

void read_stages(JsonObject& root, std::vector<StageCosts>& stages) {
  for (JsonObject& fields : root.objects_or_empty("stages")) {
    stages.push_back(read_stage(fields));
    finish(fields, root);
  }
}

void read_operators(JsonObject& root, std::vector<MeasuredOperator>& all) {
  for (JsonObject& fields : root.objects_or_empty("operators")) {
    const MeasuredOperator measured = read_measured_operator(fields);
    for (const MeasuredOperator& other : all)
      if (!fields.failed() && other.work == measured.work)
        fields.fail("operator", "\"" + operator_text(measured.work) + "\" has an entry already");
    all.push_back(measured);
    finish(fields, root);
  }
}

// A sentence each.
std::vector<std::string> read_sentences(JsonObject& root, std::string_view key) {
  std::vector<std::string> sentences;
  const nlohmann::json* const list = root.raw(key);
  if (list == nullptr) return sentences;
  const bool strings =
      list->is_array() && std::all_of(list->begin(), list->end(),
                                      [](const nlohmann::json& each) { return each.is_string(); });
  if (!strings)
    root.fail(key, "expected an array of sentences");
  else
    for (const nlohmann::json& each : *list) sentences.push_back(each.get<std::string>());
  return sentences;
}

void read_curves(JsonObject& root, std::vector<OperatorCurve>& all) {
  for (JsonObject& fields : root.objects_or_empty("curves")) {
    std::optional<OperatorCurve> curve = read_operator_curve(fields);
    if (curve)
      for (const OperatorCurve& other : all)
        if (family_of(other.points.front().work) == family_of(curve->points.front().work))
          fields.fail("points",
                      family_text(family_of(curve->points.front().work)) + " has a curve already");
    finish(fields, root);
    if (root.failed()) return;
    all.push_back(std::move(*curve));
  }
}

void read_device(JsonObject& root, bool measured, CostTable& table) {
  if (measured && !root.has("multiprocessors")) return;
  table.sms = root.integer("multiprocessors", 1, 4096);
  table.memory_bandwidth = root.bandwidth("memory_bandwidth");
  table.cache = measured ? root.bytes_or("cache", Bytes{}) : root.bytes("cache");
}

WholeStepCosts read_whole_steps(JsonObject& fields) {
  WholeStepCosts costs;
  costs.residuals = residuals_or_none(fields);
  costs.source = origin_of(fields);
  return costs;
}

CostTable read_table(JsonObject& root) {
  CostTable table;
  table.name = root.text("name");
  table.gpu = root.text("gpu");
  table.source = origin_of(root);
  table.not_measured = read_sentences(root, "not_measured");
  read_stages(root, table.stages);
  read_operators(root, table.operators);
  read_curves(root, table.curves);
  // What quintet calibrate --without-operators says: of messages alone.
  const bool of_messages = std::find(table.not_measured.begin(), table.not_measured.end(),
                                     "operators") != table.not_measured.end();
  const bool measured = !table.stages.empty() || !table.operators.empty() ||
                        !table.curves.empty() || root.has("processors") || of_messages;
  read_device(root, measured, table);
  table.gemm = read_gemm_costs(root);
  table.attention = read_attention_costs(root);
  table.memory = read_memory_costs(root);
  read_part(root, "launch", measured, &read_launch, table.launch);
  read_part(root, "copy", measured, &read_copy, table.copy);
  read_part(root, "overlap", measured, &read_overlap, table.overlap);
  read_part(root, "communication", measured, &read_communication, table.communication);
  if (root.has("processors"))
    read_part(root, "processors", measured, &read_processors, table.processors.emplace());
  else
    root.raw("processors");
  read_part(root, "whole_steps", !root.has("whole_steps"), &read_whole_steps, table.whole_steps);
  root.raw("free");  // which numbers were chosen on whole steps; sim/validate reads it
  table.framework_memory = root.bytes_or("framework_memory", Bytes{});
  table.fragmentation = number_in_or(root, "fragmentation", 0, 0, 1);
  return table;
}

}  // namespace

Result<CostTable> parse_cost_table(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  CostTable table = read_table(root);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return table;
}

Result<CostTable> read_cost_table(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_cost_table(*text, file.string());
}

}  // namespace quintet
