#include "sim/cost/cost_table_file.h"

#include <limits>
#include <utility>

#include "sim/cost/measured_operators.h"
#include "sim/cost/operator_text.h"
#include "sim/json_fields.h"

namespace quintet {
namespace {

constexpr double no_limit = std::numeric_limits<double>::max();

std::string range_text(double least, double most) {
  const std::string from = nlohmann::json(least).dump();
  if (most == no_limit) return from + " or more";
  return "from " + from + " to " + nlohmann::json(most).dump();
}

double number_in(JsonObject& fields, std::string_view key, double least, double most) {
  const double value = fields.number(key);
  if (!fields.failed() && (value < least || value > most))
    fields.fail(key, "expected a number " + range_text(least, most) + ", found " +
                         nlohmann::json(value).dump());
  return value;
}

double number_in_or(JsonObject& fields, std::string_view key, double fallback, double least,
                    double most) {
  return fields.has(key) ? number_in(fields, key, least, most) : fallback;
}

// Above zero: these end up under a fraction line. Not above 1.2: nothing beats its peak by more
// than boost clocks.
double efficiency(JsonObject& fields, std::string_view key) {
  return number_in(fields, key, 1e-3, 1.2);
}

double factor_or_one(JsonObject& fields, std::string_view key) {
  return number_in_or(fields, key, 1, 1e-2, 100);
}

std::string source_of(JsonObject& fields) {
  const std::string source = fields.text("source");
  if (!fields.failed() && source.empty())
    fields.fail("source", "must say where the numbers come from");
  // The fitting script writes its error beside the source.
  const std::string fit = fields.text_or("fit", "");
  return fit.empty() ? source : source + "; " + fit;
}

void finish(JsonObject& child, JsonObject& parent) {
  if (!child.failed()) child.refuse_unknown_keys();
  parent.adopt(child);
}

// One measured set may serve several types: "types": ["bf16", "fp16"].
std::vector<DataType> types_of(JsonObject& fields) {
  const nlohmann::json* const json = fields.raw("types");
  const std::string expected = "expected an array of data types such as [\"bf16\", \"fp16\"]";
  if (fields.failed()) return {};
  if (json == nullptr || !json->is_array() || json->empty())
    return fields.fail("types", expected), std::vector<DataType>{};
  std::vector<DataType> types;
  for (const nlohmann::json& element : *json) {
    if (!element.is_string()) return fields.fail("types", expected), std::vector<DataType>{};
    const Result<DataType> type = parse_data_type(element.get_ref<const std::string&>());
    if (!type) return fields.fail("types", type.error().what), std::vector<DataType>{};
    types.push_back(*type);
  }
  return types;
}

std::vector<GemmTile> read_tiles(JsonObject& fields) {
  std::vector<GemmTile> tiles;
  for (JsonObject& tile : fields.objects_or_empty("tiles")) {
    tiles.push_back(
        {tile.integer("m", 1, 1024), tile.integer("n", 1, 1024), efficiency(tile, "efficiency")});
    finish(tile, fields);
  }
  if (!fields.failed() && tiles.empty()) fields.fail("tiles", "expected at least one tile");
  return tiles;
}

GemmCosts read_gemm(JsonObject& fields) {
  GemmCosts costs;
  costs.peak = fields.flop_rate("peak");
  costs.tiles = read_tiles(fields);
  costs.start = fields.seconds("start");
  costs.k_half = number_in(fields, "k_half", 0, 1e6);
  costs.wave_smoothing = number_in(fields, "wave_smoothing", 0, 1);
  costs.memory_efficiency = efficiency(fields, "memory_efficiency");
  costs.sharpness = number_in(fields, "sharpness", 1, 100);
  costs.sustained = number_in_or(fields, "sustained", 1, 0.5, 1);
  costs.input_gradient = factor_or_one(fields, "input_gradient");
  costs.weight_gradient = factor_or_one(fields, "weight_gradient");
  costs.source = source_of(fields);
  return costs;
}

AttentionCosts read_attention(JsonObject& fields) {
  AttentionCosts costs;
  costs.kernel = fields.one_of<const char*>("kernel", {{"flash", "flash"}});
  costs.forward_efficiency = efficiency(fields, "forward_efficiency");
  costs.backward_efficiency = efficiency(fields, "backward_efficiency");
  costs.length_half = number_in(fields, "length_half", 0, 1e6);
  costs.causal_length_half = number_in(fields, "causal_length_half", 0, 1e6);
  costs.forward_waves_half = number_in(fields, "forward_waves_half", 0, 1e3);
  costs.backward_waves_half = number_in(fields, "backward_waves_half", 0, 1e3);
  costs.head_dim_reference = number_in(fields, "head_dim_reference", 1, 1e4);
  costs.head_dim_exponent = number_in(fields, "head_dim_exponent", 0, 2);
  costs.start = fields.seconds("start");
  costs.source = source_of(fields);
  return costs;
}

MemoryCosts read_memory(JsonObject& fields) {
  MemoryCosts costs;
  costs.operation = fields.one_of<MemoryOperation>(
      "operation", {{"norm", MemoryOperation::norm},
                    {"softmax", MemoryOperation::softmax},
                    {"dropout", MemoryOperation::dropout},
                    {"activation", MemoryOperation::activation},
                    {"elementwise", MemoryOperation::elementwise},
                    {"optimizer", MemoryOperation::optimizer},
                    {"embedding", MemoryOperation::embedding},
                    {"cross_entropy", MemoryOperation::cross_entropy}});
  costs.bandwidth = fields.bandwidth("bandwidth");
  costs.cached = fields.bandwidth_or("cached", costs.bandwidth);
  costs.backward_factor = factor_or_one(fields, "backward_factor");
  costs.start = fields.seconds("start");
  costs.source = source_of(fields);
  return costs;
}

LaunchCosts read_launch(JsonObject& fields) {
  LaunchCosts costs;
  costs.eager = fields.seconds("eager");
  costs.graph = fields.seconds("graph");
  costs.collective = fields.seconds("collective");
  costs.gap = fields.seconds("gap");
  costs.queue = fields.integer("queue", 1, 1 << 20);
  costs.synchronise = fields.seconds("synchronise");
  costs.source = source_of(fields);
  return costs;
}

CopyCosts read_copy(JsonObject& fields) {
  CopyCosts costs;
  costs.host_to_device = fields.bandwidth("host_to_device");
  costs.device_to_host = fields.bandwidth("device_to_host");
  costs.device_to_device = fields.bandwidth("device_to_device");
  costs.start = fields.seconds("start");
  costs.source = source_of(fields);
  return costs;
}

OverlapCosts read_overlap(JsonObject& fields) {
  OverlapCosts costs;
  costs.sms_per_channel = fields.integer("multiprocessors_per_channel", 0, 64);
  costs.memory_traffic_reduce = number_in(fields, "memory_traffic_reduce", 0, 100);
  costs.memory_traffic_copy = number_in(fields, "memory_traffic_copy", 0, 100);
  costs.compute_slowdown = number_in(fields, "compute_slowdown", 1, 100);
  costs.communication_slowdown = number_in(fields, "communication_slowdown", 1, 100);
  costs.source = source_of(fields);
  return costs;
}

// Rising sizes and times: a curve is a function that can be read both ways.
std::vector<CurvePoint> read_points(JsonObject& fields) {
  std::vector<CurvePoint> points;
  for (JsonObject& each : fields.objects_or_empty("points")) {
    const CurvePoint point{each.bytes("size"), each.seconds("time")};
    if (!each.failed() && (point.size <= Bytes{} || point.time <= Seconds{}))
      each.fail("size", "size and time must be above zero");
    if (!each.failed() && !points.empty() &&
        (point.size <= points.back().size || point.time <= points.back().time))
      each.fail("size", "sizes and times must rise from point to point");
    points.push_back(point);
    finish(each, fields);
  }
  if (!fields.failed() && points.size() < 2) fields.fail("points", "expected at least two points");
  return points;
}

std::vector<CollectiveCurve> read_curves(JsonObject& fields) {
  std::vector<CollectiveCurve> curves;
  for (JsonObject& each : fields.objects_or_empty("curves")) {
    CollectiveCurve curve;
    curve.kind = each.one_of<CollectiveKind>("collective",
                                             {{"all_reduce", CollectiveKind::all_reduce},
                                              {"reduce_scatter", CollectiveKind::reduce_scatter},
                                              {"all_gather", CollectiveKind::all_gather},
                                              {"broadcast", CollectiveKind::broadcast},
                                              {"reduce", CollectiveKind::reduce},
                                              {"all_to_all", CollectiveKind::all_to_all}});
    curve.ranks = each.integer("ranks", 2, 1024);
    curve.points = read_points(each);
    curve.source = source_of(each);
    for (const CollectiveCurve& other : curves)
      if (!each.failed() && other.kind == curve.kind && other.ranks == curve.ranks)
        each.fail("ranks", "this collective among " + std::to_string(curve.ranks) +
                               " ranks has a curve already");
    curves.push_back(std::move(curve));
    finish(each, fields);
  }
  return curves;
}

CommunicationCosts read_communication(JsonObject& fields) {
  CommunicationCosts costs;
  costs.bandwidth_factor = number_in(fields, "bandwidth_factor", 1e-2, 10);
  costs.latency_factor = number_in(fields, "latency_factor", 0, 100);
  costs.source = source_of(fields);
  costs.curves = read_curves(fields);
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

ProcessorCosts read_processors(JsonObject& fields) {
  ProcessorCosts costs;
  costs.cores = fields.integer_or("cores", 0, 1, 1 << 20);
  costs.message_rate = fields.bandwidth("message_rate");
  costs.message_work = fields.seconds("message_work");
  costs.message_latency = fields.seconds("message_latency");
  costs.crowded_latency = fields.seconds_or("crowded_latency", costs.message_latency);
  costs.source = source_of(fields);
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

// An entry per type (GEMM, attention): twice the same type would make one of them dead.
template <class Costs>
void read_typed(JsonObject& root, std::string_view key, Costs (*read)(JsonObject& fields),
                std::vector<Costs>& all) {
  for (JsonObject& fields : root.objects_or_empty(key)) {
    const std::vector<DataType> types = types_of(fields);
    Costs costs = read(fields);
    for (const DataType type : types) {
      for (const Costs& other : all)
        if (other.type == type)
          fields.fail("types", "\"" + std::string(name_of(type)) + "\" has an entry already");
      costs.type = type;
      all.push_back(costs);
    }
    finish(fields, root);
  }
}

void read_memory_entries(JsonObject& root, std::vector<MemoryCosts>& all) {
  for (JsonObject& fields : root.objects_or_empty("memory")) {
    const MemoryCosts costs = read_memory(fields);
    for (const MemoryCosts& other : all)
      if (other.operation == costs.operation) fields.fail("operation", "has an entry already");
    all.push_back(costs);
    finish(fields, root);
  }
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

void read_device(JsonObject& root, bool measured, CostTable& table) {
  if (measured && !root.has("multiprocessors")) return;
  table.sms = root.integer("multiprocessors", 1, 4096);
  table.memory_bandwidth = root.bandwidth("memory_bandwidth");
  table.cache = root.bytes("cache");
}

CostTable read_table(JsonObject& root) {
  CostTable table;
  table.name = root.text("name");
  table.gpu = root.text("gpu");
  table.source = source_of(root);
  read_stages(root, table.stages);
  read_operators(root, table.operators);
  const bool measured = !table.stages.empty() || !table.operators.empty();
  read_device(root, measured, table);
  read_typed(root, "gemm", &read_gemm, table.gemm);
  read_typed(root, "attention", &read_attention, table.attention);
  read_memory_entries(root, table.memory);
  read_part(root, "launch", measured, &read_launch, table.launch);
  read_part(root, "copy", measured, &read_copy, table.copy);
  read_part(root, "overlap", measured, &read_overlap, table.overlap);
  read_part(root, "communication", measured, &read_communication, table.communication);
  if (root.has("processors"))
    read_part(root, "processors", measured, &read_processors, table.processors.emplace());
  else
    root.raw("processors");
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
