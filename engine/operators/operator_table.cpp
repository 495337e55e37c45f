#include "engine/operators/operator_table.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace quintet::engine {

namespace {

enum class Adds { product, bias };

Adds adds_of(const Operator& work) {
  return std::holds_alternative<MemoryShape>(work.shape) ? Adds::bias : Adds::product;
}

struct LayerEntry {
  Block block;
  OperatorKind kind;
  Pass pass;
  LayerFunction function;
  Adds adds = Adds::product;  // weight gradients only
};

using Kind = OperatorKind;
using At = const LayerPlace&;
using Math = LayerMath&;
constexpr BlockName attention = BlockName::attention, mlp = BlockName::mlp;

constexpr std::array layer_entries{
    LayerEntry{Block::attention, Kind::norm, Pass::forward,
               [](Math m, At at) { m.norm(at, attention); }},
    LayerEntry{Block::attention, Kind::qkv_projection, Pass::forward,
               [](Math m, At at) { m.qkv(at); }},
    LayerEntry{Block::attention, Kind::qk_norm, Pass::forward,
               [](Math m, At at) { m.head_norms(at); }},
    LayerEntry{Block::attention, Kind::rotary, Pass::forward, [](Math m, At at) { m.rotary(at); }},
    LayerEntry{Block::attention, Kind::attention, Pass::forward,
               [](Math m, At at) { m.attention(at); }},
    LayerEntry{Block::attention, Kind::attention_output, Pass::forward,
               [](Math m, At at) { m.attention_output(at); }},
    LayerEntry{Block::attention, Kind::residual, Pass::forward,
               [](Math m, At at) { m.residual(at, attention); }},
    LayerEntry{Block::mlp, Kind::norm, Pass::forward, [](Math m, At at) { m.norm(at, mlp); }},
    LayerEntry{Block::mlp, Kind::mlp_up, Pass::forward, [](Math m, At at) { m.mlp_up(at); }},
    LayerEntry{Block::mlp, Kind::mlp_activation, Pass::forward,
               [](Math m, At at) { m.mlp_activation(at); }},
    LayerEntry{Block::mlp, Kind::mlp_down, Pass::forward, [](Math m, At at) { m.mlp_down(at); }},
    LayerEntry{Block::mlp, Kind::residual, Pass::forward,
               [](Math m, At at) { m.residual(at, mlp); }},

    LayerEntry{Block::mlp, Kind::mlp_down, Pass::input_gradient,
               [](Math m, At at) { m.mlp_down_gradient(at); }},
    LayerEntry{Block::mlp, Kind::mlp_activation, Pass::input_gradient,
               [](Math m, At at) { m.mlp_activation_gradient(at); }},
    LayerEntry{Block::mlp, Kind::mlp_up, Pass::input_gradient,
               [](Math m, At at) { m.mlp_up_gradient(at); }},
    LayerEntry{Block::mlp, Kind::norm, Pass::input_gradient,
               [](Math m, At at) { m.norm_gradient(at, mlp); }},
    LayerEntry{Block::mlp, Kind::residual, Pass::input_gradient,
               [](Math m, At at) { m.residual_gradient(at, mlp); }},
    LayerEntry{Block::attention, Kind::attention_output, Pass::input_gradient,
               [](Math m, At at) { m.attention_output_gradient(at); }},
    LayerEntry{Block::attention, Kind::attention, Pass::input_gradient,
               [](Math m, At at) { m.attention_gradient(at); }},
    LayerEntry{Block::attention, Kind::rotary, Pass::input_gradient,
               [](Math m, At at) { m.rotary_gradient(at); }},
    LayerEntry{Block::attention, Kind::qk_norm, Pass::input_gradient,
               [](Math m, At at) { m.head_norms_gradient(at); }},
    LayerEntry{Block::attention, Kind::qkv_projection, Pass::input_gradient,
               [](Math m, At at) { m.qkv_gradient(at); }},
    LayerEntry{Block::attention, Kind::norm, Pass::input_gradient,
               [](Math m, At at) { m.norm_gradient(at, attention); }},
    LayerEntry{Block::attention, Kind::residual, Pass::input_gradient,
               [](Math m, At at) { m.residual_gradient(at, attention); }},

    LayerEntry{Block::mlp, Kind::mlp_down, Pass::weight_gradient,
               [](Math m, At at) { m.mlp_down_weight(at); }},
    LayerEntry{Block::mlp, Kind::mlp_down, Pass::weight_gradient,
               [](Math m, At at) { m.row_bias(at, mlp); }, Adds::bias},
    LayerEntry{Block::mlp, Kind::mlp_up, Pass::weight_gradient,
               [](Math m, At at) { m.mlp_up_weight(at); }},
    LayerEntry{Block::mlp, Kind::mlp_up, Pass::weight_gradient,
               [](Math m, At at) { m.mlp_up_bias(at); }, Adds::bias},
    LayerEntry{Block::attention, Kind::attention_output, Pass::weight_gradient,
               [](Math m, At at) { m.attention_output_weight(at); }},
    LayerEntry{Block::attention, Kind::attention_output, Pass::weight_gradient,
               [](Math m, At at) { m.row_bias(at, attention); }, Adds::bias},
    LayerEntry{Block::attention, Kind::qkv_projection, Pass::weight_gradient,
               [](Math m, At at) { m.qkv_weight(at); }},
    LayerEntry{Block::attention, Kind::qkv_projection, Pass::weight_gradient,
               [](Math m, At at) { m.qkv_bias(at); }, Adds::bias},
};

// Unfused attention: products by their place; what is done to scores or to copies of heads by shape
// and place (sim/model/attention_operators.h).
enum class OnScores { product, softmax, first_plain, later_plain };

struct UnfusedEntry {
  Pass pass;
  OnScores part;
  int occurrence;  // of products
  LayerFunction function;
};

constexpr std::array unfused_entries{
    UnfusedEntry{Pass::forward, OnScores::first_plain, 0, [](Math m, At at) { m.copy_heads(at); }},
    UnfusedEntry{Pass::forward, OnScores::product, 0, [](Math m, At at) { m.scores(at); }},
    UnfusedEntry{Pass::forward, OnScores::softmax, 0, [](Math m, At at) { m.softmax(at); }},
    UnfusedEntry{Pass::forward, OnScores::later_plain, 0, [](Math m, At at) { m.drop_scores(at); }},
    UnfusedEntry{Pass::forward, OnScores::product, 1, [](Math m, At at) { m.mix_values(at); }},

    UnfusedEntry{Pass::input_gradient, OnScores::product, 0,
                 [](Math m, At at) { m.probability_gradient(at); }},
    UnfusedEntry{Pass::input_gradient, OnScores::product, 1,
                 [](Math m, At at) { m.value_gradient(at); }},
    UnfusedEntry{Pass::input_gradient, OnScores::first_plain, 0,
                 [](Math m, At at) { m.drop_scores_gradient(at); }},
    UnfusedEntry{Pass::input_gradient, OnScores::softmax, 0,
                 [](Math m, At at) { m.softmax_gradient(at); }},
    UnfusedEntry{Pass::input_gradient, OnScores::product, 2,
                 [](Math m, At at) { m.query_gradient(at); }},
    UnfusedEntry{Pass::input_gradient, OnScores::product, 3,
                 [](Math m, At at) { m.key_gradient(at); }},
    UnfusedEntry{Pass::input_gradient, OnScores::later_plain, 0,
                 [](Math m, At at) { m.copy_heads_gradient(at); }},
};

// Softmax is the middle one of all that has a MemoryShape: dropout and the copies stand on its two
// sides.
OnScores part_on_scores(const Operator& work, int occurrence) {
  const auto* const memory = std::get_if<MemoryShape>(&work.shape);
  if (memory == nullptr) return OnScores::product;
  if (memory->rows > 0) return OnScores::softmax;
  return occurrence == 0 ? OnScores::first_plain : OnScores::later_plain;
}

LayerFunction unfused_function(const Operator& work, int occurrence) {
  const OnScores part = part_on_scores(work, occurrence);
  for (const UnfusedEntry& entry : unfused_entries)
    if (entry.pass == pass_of(work.phase) && entry.part == part &&
        (part != OnScores::product || entry.occurrence == occurrence))
      return entry.function;
  return nullptr;
}

// The product with the vocabulary, or BERT's dense one before it.
enum class HeadPart { projection, transform };

struct HeadEntry {
  OperatorKind kind;
  Pass pass;
  HeadPart part;
  HeadFunction function;
  Adds adds = Adds::product;
};

using HeadAt = const HeadPlace&;
constexpr HeadPart projection = HeadPart::projection, transform = HeadPart::transform;

constexpr std::array head_entries{
    HeadEntry{Kind::head, Pass::forward, transform,
              [](HeadMath& m, HeadAt at) { m.transform(at); }},
    HeadEntry{Kind::mlp_activation, Pass::forward, projection,
              [](HeadMath& m, HeadAt at) { m.transform_activation(at); }},
    HeadEntry{Kind::norm, Pass::forward, projection, [](HeadMath& m, HeadAt at) { m.norm(at); }},
    HeadEntry{Kind::head, Pass::forward, projection, [](HeadMath& m, HeadAt at) { m.project(at); }},
    HeadEntry{Kind::cross_entropy, Pass::forward, projection,
              [](HeadMath& m, HeadAt at) { m.loss(at); }},
    HeadEntry{Kind::cross_entropy, Pass::input_gradient, projection,
              [](HeadMath& m, HeadAt at) { m.loss_gradient(at); }},
    HeadEntry{Kind::head, Pass::input_gradient, projection,
              [](HeadMath& m, HeadAt at) { m.project_gradient(at); }},
    HeadEntry{Kind::norm, Pass::input_gradient, projection,
              [](HeadMath& m, HeadAt at) { m.norm_gradient(at); }},
    HeadEntry{Kind::mlp_activation, Pass::input_gradient, projection,
              [](HeadMath& m, HeadAt at) { m.transform_activation_gradient(at); }},
    HeadEntry{Kind::head, Pass::input_gradient, transform,
              [](HeadMath& m, HeadAt at) { m.transform_gradient(at); }},
    HeadEntry{Kind::head, Pass::weight_gradient, projection,
              [](HeadMath& m, HeadAt at) { m.projection_weight(at); }},
    HeadEntry{Kind::head, Pass::weight_gradient, projection,
              [](HeadMath& m, HeadAt at) { m.projection_bias(at); }, Adds::bias},
    HeadEntry{Kind::head, Pass::weight_gradient, transform,
              [](HeadMath& m, HeadAt at) { m.transform_weight(at); }},
    HeadEntry{Kind::head, Pass::weight_gradient, transform,
              [](HeadMath& m, HeadAt at) { m.transform_bias(at); }, Adds::bias},
};

// Forward BERT's dense product comes first, backward last.
HeadPart part_of(const Operator& work, int occurrence, ModelFamily family) {
  if (work.kind != OperatorKind::head || family != ModelFamily::bert) return projection;
  const bool first = occurrence == 0;
  return first == (pass_of(work.phase) == Pass::forward) ? transform : projection;
}

bool same_adds(Adds adds, const Operator& work) {
  return pass_of(work.phase) != Pass::weight_gradient || adds == adds_of(work);
}

// Before the sum with the residual's gradient.
bool undoes_dropout(const Operator& work, int occurrence, const Model& model) {
  return work.kind == Kind::residual && pass_of(work.phase) == Pass::input_gradient &&
         model.dropout > 0 && occurrence == 0;
}

const Operator* work_of(const Instruction& instruction) {
  const auto* const compute = std::get_if<Compute>(&instruction.action);
  return compute ? &compute->work : nullptr;
}

}  // namespace

Pass pass_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
    case Phase::recompute:
      return Pass::forward;
    case Phase::weight_gradient:
      return Pass::weight_gradient;
    case Phase::input_gradient:
    case Phase::backward:
    case Phase::update:
      return Pass::input_gradient;
  }
  return Pass::forward;
}

LayerFunction layer_function(Block block, const Operator& work, int occurrence,
                             const Model& model) {
  if (work.kind == Kind::attention && !std::holds_alternative<AttentionShape>(work.shape))
    return unfused_function(work, occurrence);
  if (undoes_dropout(work, occurrence, model))
    return block == Block::attention
               ? [](Math m, At at) { m.dropout_gradient(at, attention); }
               : static_cast<LayerFunction>([](Math m, At at) { m.dropout_gradient(at, mlp); });
  for (const LayerEntry& entry : layer_entries)
    if (entry.block == block && entry.kind == work.kind && entry.pass == pass_of(work.phase) &&
        same_adds(entry.adds, work))
      return entry.function;
  return nullptr;
}

HeadFunction head_function(const Operator& work, int occurrence, ModelFamily family) {
  const HeadPart part = part_of(work, occurrence, family);
  for (const HeadEntry& entry : head_entries)
    if (entry.kind == work.kind && entry.pass == pass_of(work.phase) && entry.part == part &&
        same_adds(entry.adds, work))
      return entry.function;
  return nullptr;
}

bool embedding_does(const Operator& work) {
  return work.kind == Kind::embedding || work.kind == Kind::norm || work.kind == Kind::residual;
}

bool update_does(const Operator& work) {
  constexpr std::array kinds{Kind::gradient_scale, Kind::gradient_norm, Kind::gradient_clip,
                             Kind::optimizer_update, Kind::cast};
  return std::find(kinds.begin(), kinds.end(), work.kind) != kinds.end();
}

int occurrence_of(const Body& body, std::size_t place) {
  const Instruction& mine = body.instructions[place];
  const Operator* const work = work_of(mine);
  if (!work) return 0;
  int count = 0;
  for (std::size_t before = 0; before < place; ++before) {
    const Operator* const other = work_of(body.instructions[before]);
    if (other && body.instructions[before].block == mine.block && other->kind == work->kind &&
        other->phase == work->phase && adds_of(*other) == adds_of(*work))
      ++count;
  }
  return count;
}

}  // namespace quintet::engine
