#include "sim/cost/file/cost_table_file.h"

#include <algorithm>

#include "sim/base/text_file.h"
#include "sim/cost/file/communication_costs_file.h"
#include "sim/cost/file/cost_fields.h"
#include "sim/cost/file/cost_lists.h"
#include "sim/cost/file/kernel_costs_file.h"
#include "sim/cost/file/measured_operators_file.h"
#include "sim/cost/file/operator_curves_file.h"
#include "sim/cost/file/operator_text.h"
#include "sim/cost/operator_family.h"
#include "sim/json/field_list.h"

namespace quintet {

template <class File>
void fields(File& file, LaunchCosts& costs) {
  file.required({"eager", "CPU time to issue a kernel"}, costs.eager);
  file.required({"graph", "the same of a captured graph"}, costs.graph);
  file.required({"collective", "of a communication call"}, costs.collective);
  file.required({"gap", "GPU idle between two queued dependent kernels"}, costs.gap);
  file.required({"queue", "launches that the CPU may run ahead"}, costs.queue, Between{1, 1 << 20});
  file.required({"synchronise", "a blocking CPU wait, once satisfied"}, costs.synchronise);
  file.field({"step", "CPU time of a step before its first launch and after its last kernel"},
             costs.step);
  origin(file, costs.source);
  file.unusual("evidence", costs.evidence, Evidence::guessed);
}

template <class File>
void fields(File& file, CopyCosts& costs) {
  file.required({"host_to_device", "payload rate, the host's memory pinned"}, costs.host_to_device);
  file.required({"device_to_host", "payload rate, the host's memory pinned"}, costs.device_to_host);
  file.required({"device_to_device", "payload rate"}, costs.device_to_device);
  file.required({"start", "per copy"}, costs.start);
  file.unusual({"pageable_to_device", "from memory that is not pinned"}, costs.pageable_to_device,
               {});
  file.unusual({"device_to_pageable", "to memory that is not pinned"}, costs.device_to_pageable,
               {});
  file.unusual({"both_ways", "factor on a copy's time while as much is copied the other way"},
               costs.both_ways, 1.0, Between{1.0, 100.0});
  origin(file, costs.source);
  file.unusual("evidence", costs.evidence, Evidence::guessed);
}

template <class File>
void fields(File& file, StageCosts& costs) {
  file.required({"forward", "a stage's profiled time per micro-batch"}, costs.forward);
  file.required({"input_gradient", "the same of its B pass"}, costs.input_gradient);
  file.required({"weight_gradient", "the same of its W pass"}, costs.weight_gradient);
  file.field({"update", "the same of the optimizer's step"}, costs.update);
}

template <class File>
void fields(File& file, WholeStepCosts& costs) {
  residuals_field(file, "residuals", costs.residuals);
  origin(file, costs.source);
}

namespace {

template <class Costs>
Costs read_list(JsonObject& json) {
  Costs costs;
  FieldReader reader(json);
  fields(reader, costs);
  return costs;
}

// A part of the table: measured stages and operators may leave it out, formulas may not.
template <class Costs>
void read_part(JsonObject& root, const FieldKey& key, bool measured,
               Costs (*read)(JsonObject& json), Costs& costs) {
  if (measured && !root.has(key)) return;
  JsonObject json = root.object(key);
  if (root.failed()) return;
  costs = read(json);
  finish(json, root);
}

void read_operators(JsonObject& root, std::vector<MeasuredOperator>& all) {
  for (JsonObject& json : root.objects_or_empty(
           {"operators", "measured times of single operators; come before formulas"})) {
    const MeasuredOperator measured = read_measured_operator(json);
    for (const MeasuredOperator& other : all)
      if (!json.failed() && other.work == measured.work)
        json.fail("operator", "\"" + operator_text(measured.work) + "\" has an entry already");
    all.push_back(measured);
    finish(json, root);
  }
}

// A sentence each.
std::vector<std::string> read_sentences(JsonObject& root, const FieldKey& key) {
  std::vector<std::string> sentences;
  if (RecordedField* const field = root.record(key, FieldKind::list)) {
    only_entry(*field).kind = FieldKind::text;
    return sentences;
  }
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
  for (JsonObject& json :
       root.objects_or_empty({"curves", "measured times of operators by their size"})) {
    std::optional<OperatorCurve> curve = read_operator_curve(json);
    if (curve)
      for (const OperatorCurve& other : all)
        if (family_of(other.points.front().work) == family_of(curve->points.front().work))
          json.fail("points",
                    family_text(family_of(curve->points.front().work)) + " has a curve already");
    finish(json, root);
    if (root.failed() || !curve) return;
    all.push_back(std::move(*curve));
  }
}

void read_device(JsonObject& root, bool measured, CostTable& table) {
  if (measured && !root.has("multiprocessors")) return;
  table.sms = root.integer({"multiprocessors", "SMs of the GPU"}, 1, 4096);
  table.memory_bandwidth = root.bandwidth({"memory_bandwidth", "of the GPU, the vendor's"});
  table.cache = measured ? root.bytes_or("cache", Bytes{}) : root.bytes("cache");
}

CostTable read_table(JsonObject& root) {
  CostTable table;
  table.name = root.text({"name", "of the table in reports"});
  table.gpu = root.text({"gpu", "whose costs these are: the name in machines"});
  table.source = origin_of(root);
  FieldReader(root).unusual({"evidence", "what the table rests on where a part does not say"},
                            table.evidence, Evidence::guessed);
  table.not_measured = read_sentences(root, {"not_measured", "what the table leaves out"});
  FieldReader(root).field({"stages", "profiled times of whole stages, in the place of all else"},
                          table.stages);
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
  read_part(root, {"launch", "what it takes to start kernels"}, measured, &read_list<LaunchCosts>,
            table.launch);
  read_part(root, {"copy", "between host and GPU, and inside a GPU"}, measured,
            &read_list<CopyCosts>, table.copy);
  read_part(root, {"overlap", "what communication takes from kernels"}, measured, &read_overlap,
            table.overlap);
  read_part(root, {"communication", "what communication reaches"}, measured, &read_communication,
            table.communication);
  if (root.has("processors"))
    read_part(root, {"processors", "ranks on processor cores"}, measured, &read_processors,
              table.processors.emplace());
  else
    root.raw("processors");
  read_part(root, {"whole_steps", "how predictions of whole steps were off"},
            !root.has("whole_steps"), &read_list<WholeStepCosts>, table.whole_steps);
  root.raw(
      {"free", "which numbers were chosen on whole steps"});  // which numbers were chosen on whole
                                                              // steps; sim/validate reads it
  table.framework_memory = root.bytes_or(
      {"framework_memory", "CUDA context, NCCL and framework buffers per GPU"}, Bytes{});
  table.fragmentation =
      number_in_or(root, {"fragmentation", "the allocator's, on top of activations"}, 0, 0, 1);
  return table;
}

// Writes what the table says of a GPU; a part that was not measured is not written.
void add_device(CostTable& table, FieldWriter& writer) {
  if (table.sms > 0 && table.memory_bandwidth > Bandwidth{}) {
    writer.required("multiprocessors", table.sms);
    writer.required("memory_bandwidth", table.memory_bandwidth);
    writer.unusual("cache", table.cache, {});
  }
  if (!table.launch.source.empty()) writer.required("launch", table.launch);
  const CopyCosts& copy = table.copy;
  if (copy.host_to_device > Bandwidth{} && copy.device_to_host > Bandwidth{} &&
      copy.device_to_device > Bandwidth{})
    writer.required("copy", table.copy);
}

// A line each: such tables are long, and people compare them.
template <class Measured>
std::string lines(const std::string& key, const std::vector<Measured>& all) {
  std::string text;
  for (const Measured& each : all) text += (text.empty() ? "\n    " : ",\n    ") + json_text(each);
  return ",\n  \"" + key + "\": [" + text + "\n  ]";
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

Result<CostTable> parse_changed_cost_table(const std::string& text, const std::string& where,
                                           const FieldChanges& changes) {
  const Result<std::string> changed = changed_text(text, where, changes);
  if (!changed) return changed.error();
  Result<CostTable> table = parse_cost_table(*changed, where);
  if (!table) return blamed(table.error(), changes);
  return table;
}

Result<CostTable> read_changed_cost_table(const std::filesystem::path& file,
                                          const FieldChanges& changes) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_changed_cost_table(*text, file.string(), changes);
}

FieldDescription cost_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject root(into);
    static_cast<void>(read_table(root));
  });
  return description_of(recording.root);
}

Result<CostTable> read_cost_table(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_cost_table(*text, file.string());
}

std::string text_of(CostTable table) {
  FieldWriter head(Digits::exact);
  head.required("name", table.name);
  head.required("gpu", table.gpu);
  head.required("source", table.source);
  head.unusual("evidence", table.evidence, Evidence::guessed);
  if (!table.not_measured.empty()) head.required("not_measured", table.not_measured);
  if (table.processors) {
    auto processors = FieldWriter::Json::parse(json_text(*table.processors));
    head.required("processors", processors);
  }
  add_device(table, head);
  if (table.whole_steps.residuals.samples > 0) head.required("whole_steps", table.whole_steps);
  std::string text = std::move(head).json().dump(2);
  text.resize(text.size() - 2);  // without the newline and brace of the end
  text += ",\n  \"communication\": " + json_text(table.communication);
  if (!table.overlap.rows.empty()) text += ",\n  \"overlap\": " + json_text(table.overlap);
  text += lines("operators", table.operators);
  if (!table.curves.empty()) text += lines("curves", table.curves);
  return text + "\n}\n";
}

}  // namespace quintet
