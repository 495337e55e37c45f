#include "sim/cost/file/kernel_costs_file.h"

#include "sim/cost/file/cost_fields.h"
#include "sim/json/json_fields.h"

namespace quintet {

namespace {

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
  costs.source = origin_of(fields);
  costs.residuals = residuals_or_none(fields);
  costs.covered = covered_or_none(fields);
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
  costs.source = origin_of(fields);
  costs.residuals = residuals_or_none(fields);
  costs.covered = covered_or_none(fields);
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
  costs.rows_per_multiprocessor = fields.integer_or("rows_per_multiprocessor", 0, 1, 64);
  costs.wave_start = fields.seconds_or("wave_start", Seconds{});
  costs.columns_exponent = number_in_or(fields, "columns_exponent", 0, 0, 2);
  costs.backward_columns_exponent =
      number_in_or(fields, "backward_columns_exponent", costs.columns_exponent, 0, 2);
  costs.start = fields.seconds("start");
  costs.source = origin_of(fields);
  costs.residuals = residuals_or_none(fields);
  costs.covered = covered_or_none(fields);
  return costs;
}

// An entry per type (GEMM, attention): twice the same type would make one of them dead.
template <class Costs>
std::vector<Costs> read_typed(JsonObject& root, std::string_view key,
                              Costs (*read)(JsonObject& fields)) {
  std::vector<Costs> all;
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
  return all;
}

}  // namespace

std::vector<GemmCosts> read_gemm_costs(JsonObject& root) {
  return read_typed(root, "gemm", &read_gemm);
}

std::vector<AttentionCosts> read_attention_costs(JsonObject& root) {
  return read_typed(root, "attention", &read_attention);
}

std::vector<MemoryCosts> read_memory_costs(JsonObject& root) {
  std::vector<MemoryCosts> all;
  for (JsonObject& fields : root.objects_or_empty("memory")) {
    const MemoryCosts costs = read_memory(fields);
    for (const MemoryCosts& other : all)
      if (other.operation == costs.operation) fields.fail("operation", "has an entry already");
    all.push_back(costs);
    finish(fields, root);
  }
  return all;
}

}  // namespace quintet
