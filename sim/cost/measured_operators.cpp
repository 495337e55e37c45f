#include "sim/cost/measured_operators.h"

#include <array>
#include <limits>
#include <span>

#include "sim/json/json_fields.h"
#include "sim/json/json_value.h"

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

std::string exact(double value, const char* unit) {
  return JsonValue(value).dump() + " " + unit;
}

// Keys in the order of the alphabet, here and below, as the tables that are there have them.
JsonField field_of(const OperatorShape& shape) {
  return std::visit(
      Match{[](const GemmShape& gemm) {
              return JsonField(
                  "gemm", {{"batch", gemm.batch}, {"k", gemm.k}, {"m", gemm.m}, {"n", gemm.n}});
            },
            [](const AttentionShape& attention) {
              return JsonField(
                  "attention",
                  {{"head_dim", attention.head_dim},
                   {"heads", attention.heads},
                   {"kernel", attention.kernel == AttentionKernel::flash ? "flash" : "unfused"},
                   {"key_length", attention.key_length},
                   {"kv_heads", attention.kv_heads},
                   {"mask", attention.mask == MaskKind::causal ? "causal" : "bidirectional"},
                   {"query_length", attention.query_length},
                   {"sequences", attention.sequences},
                   {"window", attention.window}});
            },
            [](const MemoryShape& memory) {
              return JsonField("memory", {{"columns", memory.columns},
                                          {"read", exact(memory.read.value, "B")},
                                          {"rows", memory.rows},
                                          {"written", exact(memory.written.value, "B")}});
            },
            [](const ProfiledShape&) { return JsonField("", nullptr); }},
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
  const JsonField shape = field_of(measured.work.shape);
  JsonValue json = JsonValue::object();
  if (shape.key == "attention" || shape.key == "gemm") json[shape.key] = shape.value;
  json["kernels"] = measured.work.kernels;
  if (shape.key == "memory") json[shape.key] = shape.value;
  json.update({{"operator", name_of(measured.work.kind)},
               {"phase", name_of(measured.work.phase)},
               {"samples", measured.samples},
               {"time", exact(measured.time.value, "s")},
               {"type", name_of(measured.work.type)}});
  return json.dump();
}

}  // namespace quintet
