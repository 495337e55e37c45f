#include "sim/cost/measured_operators.h"

#include <array>
#include <limits>
#include <span>

#include "sim/base/json_fields.h"

namespace quintet {
namespace {

constexpr std::array every_kind{
    OperatorKind::embedding,
    OperatorKind::norm,
    OperatorKind::qk_norm,
    OperatorKind::qkv_projection,
    OperatorKind::rotary,
    OperatorKind::attention,
    OperatorKind::attention_output,
    OperatorKind::residual,
    OperatorKind::mlp_up,
    OperatorKind::mlp_activation,
    OperatorKind::mlp_down,
    OperatorKind::head,
    OperatorKind::cross_entropy,
    OperatorKind::gradient_scale,
    OperatorKind::gradient_norm,
    OperatorKind::gradient_clip,
    OperatorKind::gradient_add,
    OperatorKind::optimizer_update,
    OperatorKind::cast,
    OperatorKind::presort,
    OperatorKind::compress,
    OperatorKind::decompress,
};
constexpr std::array every_phase{Phase::forward,         Phase::recompute, Phase::input_gradient,
                                 Phase::weight_gradient, Phase::backward,  Phase::update};

constexpr int most = std::numeric_limits<int>::max();

// The one of `words` that name_of() calls by the text under `key`.
template <class Word>
Word named(JsonObject& fields, std::string_view key, std::span<const Word> words) {
  const std::string name = fields.text(key);
  std::string accepted;
  for (const Word word : words) {
    if (name_of(word) == name) return word;
    accepted += (accepted.empty() ? "" : ", ") + std::string(name_of(word));
  }
  if (!fields.failed()) fields.fail(key, "found \"" + name + "\", accepted are " + accepted);
  return words.front();
}

GemmShape read_gemm_shape(JsonObject& fields) {
  return {fields.integer("m", 1, most), fields.integer("n", 1, most), fields.integer("k", 1, most),
          fields.integer_or("batch", 1, 1, most)};
}

AttentionShape read_attention_shape(JsonObject& fields) {
  AttentionShape shape;
  shape.sequences = fields.integer("sequences", 1, most);
  shape.heads = fields.integer("heads", 1, most);
  shape.kv_heads = fields.integer("kv_heads", 1, most);
  shape.query_length = fields.integer("query_length", 1, most);
  shape.key_length = fields.integer("key_length", 1, most);
  shape.head_dim = fields.integer("head_dim", 1, most);
  shape.mask = fields.one_of<MaskKind>(
      "mask", {{"causal", MaskKind::causal}, {"bidirectional", MaskKind::bidirectional}});
  shape.kernel = fields.one_of<AttentionKernel>(
      "kernel", {{"flash", AttentionKernel::flash}, {"unfused", AttentionKernel::unfused}});
  shape.window = fields.integer_or("window", 0, 0, most);
  return shape;
}

MemoryShape read_memory_shape(JsonObject& fields) {
  return {fields.bytes("read"), fields.bytes("written"), fields.integer_or("rows", 0, 0, most),
          fields.integer_or("columns", 0, 0, most)};
}

template <class Shape>
Shape read_part(JsonObject& parent, std::string_view key, Shape (*read)(JsonObject&)) {
  JsonObject fields = parent.object(key);
  const Shape shape = read(fields);
  if (!fields.failed()) fields.refuse_unknown_keys();
  parent.adopt(fields);
  return shape;
}

OperatorShape read_shape(JsonObject& fields) {
  const int shapes = int{fields.has("gemm")} + int{fields.has("attention")} + fields.has("memory");
  if (shapes != 1)
    fields.fail("operator",
                "expected exactly one of \"gemm\", \"attention\", \"memory\" beside it");
  if (fields.has("gemm")) return read_part(fields, "gemm", &read_gemm_shape);
  if (fields.has("attention")) return read_part(fields, "attention", &read_attention_shape);
  if (fields.has("memory")) return read_part(fields, "memory", &read_memory_shape);
  return {};
}

std::string exact_bytes(Bytes size) {
  return nlohmann::json(size.value).dump() + " B";
}

void add_shape(nlohmann::json& json, const OperatorShape& shape) {
  std::visit(
      Match{[&](const GemmShape& gemm) {
              json["gemm"] = {{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}, {"batch", gemm.batch}};
            },
            [&](const AttentionShape& attention) {
              json["attention"] = {
                  {"sequences", attention.sequences},
                  {"heads", attention.heads},
                  {"kv_heads", attention.kv_heads},
                  {"query_length", attention.query_length},
                  {"key_length", attention.key_length},
                  {"head_dim", attention.head_dim},
                  {"mask", attention.mask == MaskKind::causal ? "causal" : "bidirectional"},
                  {"kernel", attention.kernel == AttentionKernel::flash ? "flash" : "unfused"},
                  {"window", attention.window}};
            },
            [&](const MemoryShape& memory) {
              json["memory"] = {{"read", exact_bytes(memory.read)},
                                {"written", exact_bytes(memory.written)},
                                {"rows", memory.rows},
                                {"columns", memory.columns}};
            },
            [](const ProfiledShape&) {}},
      shape);
}

}  // namespace

MeasuredOperator read_measured_operator(JsonObject& fields) {
  MeasuredOperator measured;
  measured.work.kind = named<OperatorKind>(fields, "operator", every_kind);
  measured.work.phase = named<Phase>(fields, "phase", every_phase);
  measured.work.type = fields.data_type("type");
  measured.work.shape = read_shape(fields);
  measured.work.kernels = fields.integer_or("kernels", 1, 1, most);
  measured.time = fields.seconds("time");
  measured.samples = fields.integer("samples", 1, most);
  return measured;
}

std::string json_text(const MeasuredOperator& measured) {
  nlohmann::json json{{"operator", name_of(measured.work.kind)},
                      {"phase", name_of(measured.work.phase)},
                      {"type", name_of(measured.work.type)},
                      {"kernels", measured.work.kernels},
                      {"time", nlohmann::json(measured.time.value).dump() + " s"},
                      {"samples", measured.samples}};
  add_shape(json, measured.work.shape);
  return json.dump();
}

}  // namespace quintet
