#include "sim/model/operator_rows.h"

#include <gtest/gtest.h>

#include "sim/model/layer_operators.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using Operators = std::vector<Operator>;

void append(Operators& all, const BlockOperators& block) {
  for (const Operators* const part : {&block.before_gather, &block.parallel, &block.after_reduce})
    all.insert(all.end(), part->begin(), part->end());
}

void append(Operators& all, const LayerOperators& layer) {
  append(all, layer.attention_block);
  append(all, layer.mlp_block);
}

// All that a micro-batch runs through.
Operators step_operators(const Model& model, const LayerWork& work) {
  Operators all;
  append(all, embedding_operators(model, work));
  append(all, forward_operators(model, work));
  append(all, recompute_operators(model, work, RecomputedPart::whole_layer));
  append(all, head_operators(model, work));
  append(all, head_input_gradient_operators(model, work));
  append(all, head_weight_gradient_operators(model, work));
  append(all, input_gradient_operators(model, work));
  append(all, weight_gradient_operators(model, work));
  append(all, embedding_gradient_operators(model, work));
  return all;
}

LayerWork work_on(std::int64_t count, std::int64_t length) {
  LayerWork work;
  work.sequences = count;
  work.sequence_length = length;
  work.fusion.gradient_accumulation = false;  // its own operator, of the size of weights
  return work;
}

// 4 samples of 256 made 3 of 128: every operator is the one that the model has of those.
TEST(OperatorRows, OfSamplesOfOneLengthAreTheModelsOperators) {
  for (const char* const name : {"gpt2", "llama-3-8b", "bert-large"}) {
    const Model model = test::shipped_model(name);
    const Operators before = step_operators(model, work_on(4, 256));
    const Operators after = step_operators(model, work_on(3, 128));
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const PricedOperator found =
          resized(as_priced(before[i]), equal_samples(4, 256), equal_samples(3, 128));
      EXPECT_EQ(found, as_priced(after[i])) << name << " " << name_of(before[i].computation);
    }
  }
}

// Samples of 3 and 4: a mean square of 12.5, whose root is 3.5; attention sees two of 4 (rounded).
TEST(OperatorRows, AttentionSeesTheRootMeanSquare) {
  const PricedOperator work{OperatorKind::attention, Phase::forward, DataType::bf16,
                            AttentionShape{.sequences = 2,
                                           .heads = 2,
                                           .kv_heads = 2,
                                           .query_length = 8,
                                           .key_length = 8,
                                           .head_dim = 4}};
  const auto found = resized(work, equal_samples(2, 8), {2, 7, 25});
  const auto& shape = std::get<AttentionShape>(found.shape);
  EXPECT_EQ(shape.sequences, 2);
  EXPECT_EQ(shape.query_length, 4);
  EXPECT_EQ(shape.key_length, 4);
}

TEST(OperatorRows, LeaveAloneWhatNoSampleChanges) {
  const PricedOperator update{OperatorKind::optimizer_update, Phase::update, DataType::fp32,
                              MemoryShape{.read = Bytes{100}, .written = Bytes{50}}};
  EXPECT_EQ(resized(update, equal_samples(2, 8), {2, 7, 25}), update);
}

}  // namespace
}  // namespace quintet
