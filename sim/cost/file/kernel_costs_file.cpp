#include "sim/cost/file/kernel_costs_file.h"

#include <utility>

#include "sim/base/shown_text.h"
#include "sim/cost/file/cost_fields.h"
#include "sim/cost/file/cost_lists.h"
#include "sim/cost/memory_time.h"
#include "sim/json/field_list.h"

namespace quintet {

namespace {

// One measured set may serve several types: "types": ["bf16", "fp16"].
std::vector<DataType> types_of(JsonObject& fields) {
  if (RecordedField* const field = fields.record({"types", "of data that it holds for"},
                                                 FieldKind::list, JsonObject::Need::required)) {
    FieldDescription& each = only_entry(*field);
    each.kind = FieldKind::word;
    each.words = data_type_words();
    return {};
  }
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

// Efficiencies end up under a fraction line; nothing beats its peak by more than boost clocks.
constexpr Between efficiency{1e-3, 1.2};
constexpr Between factor{1e-2, 100.0};

// How sure the numbers are, and what they hold for.
template <class File, class Costs>
void evidence(File& file, Costs& costs) {
  residuals_field(file, "residuals", costs.residuals);
  file.unusual("covered", costs.covered, {});
  evidence_fields(file, costs.evidence, costs.residuals);
}

}  // namespace

template <class File>
void fields(File& file, GemmTile& tile) {
  file.required({"m", "rows of the output tile of a thread block"}, tile.m, Between{1, 1024});
  file.required({"n", "its columns"}, tile.n, Between{1, 1024});
  file.required({"efficiency", "share of peak at large depth"}, tile.efficiency, efficiency);
}

// The part of each list that `quintet fit` sets.
template <class File>
void fitted(File& file, GemmCosts& costs) {
  file.field({"tiles", "the fastest is taken"}, costs.tiles);
  if (costs.tiles.empty()) file.refuse("tiles", "expected at least one tile");
  file.required({"start", "fixed part per kernel"}, costs.start);
  file.required({"k_half", "depth at which half of a tile's rate is reached"}, costs.k_half,
                Between{0.0, 1e6});
  file.required({"wave_smoothing", "0: whole waves of tiles over the SMs, 1: fractional"},
                costs.wave_smoothing, Between{0.0, 1.0});
  file.required({"memory_efficiency", "share of the vendor's bandwidth, operands moved once"},
                costs.memory_efficiency, efficiency);
  file.required({"sharpness", "x of (compute^x + memory^x)^(1/x)"}, costs.sharpness,
                Between{1.0, 100.0});
}

template <class File>
void fields(File& file, GemmCosts& costs) {
  file.required({"peak", "vendor's, dense"}, costs.peak);
  fitted(file, costs);
  file.field({"sustained", "of rates, what a step of seconds keeps under the power limit"},
             costs.sustained, Between{0.5, 1.0});
  file.field({"input_gradient", "time of the B product over the forward one's"},
             costs.input_gradient, factor);
  file.field({"weight_gradient", "time of the W product over the forward one's"},
             costs.weight_gradient, factor);
  origin(file, costs.source);
  evidence(file, costs);
}

template <class File>
void fitted(File& file, AttentionCosts& costs) {
  file.required({"forward_efficiency", "share of the GEMM peak for long sequences and many heads"},
                costs.forward_efficiency, efficiency);
  file.required({"backward_efficiency", "the same in backward"}, costs.backward_efficiency,
                efficiency);
  file.required({"length_half", "keys at which half of it is reached"}, costs.length_half,
                Between{0.0, 1e6});
  file.required({"causal_length_half", "the same with a causal mask"}, costs.causal_length_half,
                Between{0.0, 1e6});
  file.required(
      {"forward_waves_half", "waves of 128-query blocks over the SMs at which half is reached"},
      costs.forward_waves_half, Between{0.0, 1e3});
  file.required({"backward_waves_half", "the same in backward"}, costs.backward_waves_half,
                Between{0.0, 1e3});
  file.required({"head_dim_reference", "elements below which the rate falls"},
                costs.head_dim_reference, Between{1.0, 1e4});
  file.required({"head_dim_exponent", "power by which it falls"}, costs.head_dim_exponent,
                Between{0.0, 2.0});
}

template <class File>
void fields(File& file, AttentionCosts& costs) {
  file.required({"kernel", "flash; unfused attention needs no entry"}, costs.kernel);
  if (costs.kernel != "flash")
    file.refuse("kernel", "expected \"flash\", found " + in_quotes(costs.kernel));
  fitted(file, costs);
  file.required({"start", "per call"}, costs.start);
  origin(file, costs.source);
  evidence(file, costs);
}

template <class File>
void fitted(File& file, MemoryCosts& costs) {
  file.required({"start", "per kernel"}, costs.start);
  file.required({"bandwidth", "reached from L2-sized tensors on"}, costs.bandwidth);
  file.preset(costs.cached, costs.bandwidth);
  file.field({"cached", "reached when all fits in half of the L2; left out: as bandwidth"},
             costs.cached);
  file.unusual(
      {"rows_per_multiprocessor",
       "of kernels that give each row a thread block: how many rows an SM works on at a time"},
      costs.rows_per_multiprocessor, 0, Between{1, 64});
  file.unusual({"wave_start", "what each wave of these takes"}, costs.wave_start, {});
  file.unusual({"columns_exponent",
                "power by which the time per byte of rows wider than 2048 columns grows"},
               costs.columns_exponent, 0.0, Between{0.0, 2.0});
}

template <class File>
void fields(File& file, MemoryCosts& costs) {
  file.required(
      {"operation",
       "norm, softmax, dropout, activation, elementwise, optimizer, embedding or cross_entropy"},
      costs.operation);
  fitted(file, costs);
  file.field({"backward_factor", "on the time per byte of backward kernels"}, costs.backward_factor,
             factor);
  file.preset(costs.backward_columns_exponent, costs.columns_exponent);
  file.field({"backward_columns_exponent", "as columns_exponent; left out: the same"},
             costs.backward_columns_exponent, Between{0.0, 2.0});
  origin(file, costs.source);
  evidence(file, costs);
}

namespace {

template <class Costs>
Costs read(JsonObject& json) {
  Costs costs;
  FieldReader reader(json);
  fields(reader, costs);
  return costs;
}

template <class Costs>
JsonValue written(Costs& costs) {
  FieldWriter writer(Digits::for_people);
  fitted(writer, costs);
  evidence(writer, costs);
  return std::move(writer).json();
}

// An entry per type (GEMM, attention): twice the same type would make one of them dead.
template <class Costs>
std::vector<Costs> read_typed(JsonObject& root, const FieldKey& key) {
  std::vector<Costs> all;
  for (JsonObject& fields : root.objects_or_empty(key)) {
    const std::vector<DataType> types = types_of(fields);
    Costs costs = read<Costs>(fields);
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
  return read_typed<GemmCosts>(root, {"gemm", "matrix products, an entry per set of types"});
}

std::vector<AttentionCosts> read_attention_costs(JsonObject& root) {
  return read_typed<AttentionCosts>(root,
                                    {"attention", "flash attention, an entry per set of types"});
}

std::vector<MemoryCosts> read_memory_costs(JsonObject& root) {
  std::vector<MemoryCosts> all;
  for (JsonObject& fields :
       root.objects_or_empty({"memory", "kernels that bytes bound, an entry per operation"})) {
    const MemoryCosts costs = read<MemoryCosts>(fields);
    for (const MemoryCosts& other : all)
      if (other.operation == costs.operation) fields.fail("operation", "has an entry already");
    all.push_back(costs);
    finish(fields, root);
  }
  return all;
}

JsonValue fitted_fields(GemmCosts costs) {
  return written(costs);
}

JsonValue fitted_fields(AttentionCosts costs) {
  return written(costs);
}

JsonValue fitted_fields(MemoryCosts costs) {
  return written(costs);
}

}  // namespace quintet
