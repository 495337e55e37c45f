// Gradients of the whole model against differences of its loss, one weight at a time.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/by_name.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

// One rank that keeps its weights: learning rate 0.
class OneRank {
 public:
  explicit OneRank(const Model& model)
      : toy_(still(model)),
        program_(program_of(toy_)),
        world_(program_),
        kernels_(kernels::reference_kernels()),
        executor_(std::move(*RankExecutor::make(executor_input(toy_, program_, Rank{0}), *kernels_,
                                                world_.rank(Rank{0})))),
        input_(step_input(toy_, 0, 0)) {}

  double loss() { return executor_->step(input_)->loss_sum / input_.targets; }
  RankExecutor& executor() { return *executor_; }

 private:
  static Toy still(const Model& model) {
    Toy made = toy(model);
    made.optimizer.learning_rate = 0;
    made.plan.parallelism.clipping = Clipping::none;
    return made;
  }

  Toy toy_;
  Program program_;
  LocalWorld world_;
  std::unique_ptr<kernels::Kernels> kernels_;
  std::unique_ptr<RankExecutor> executor_;
  StepInput input_;
};

// The weight whose gradient is largest, where rounding matters least.
Index steepest(const float* gradients, Index count) {
  return std::max_element(
             gradients, gradients + count,
             [](float left, float right) { return std::abs(left) < std::abs(right); }) -
         gradients;
}

double difference(OneRank& rank, float& weight, float step) {
  const float kept = weight;
  weight = kept + step;
  const double above = rank.loss();
  weight = kept - step;
  const double below = rank.loss();
  weight = kept;
  return (above - below) / (2 * static_cast<double>(step));
}

class Gradients : public testing::TestWithParam<Model> {};

// Central differences with steps h and h / 2 of an fp32 loss near 4: rounding 4 * 6e-8 / h per row,
// averaged over rows; truncation h^2, which the two steps cancel (Richardson). h = 1e-2 leaves both
// below 2e-4 of the largest gradients (about 0.1).
TEST_P(Gradients, AreDifferencesOfTheLoss) {
  OneRank rank(GetParam());
  rank.loss();
  RankExecutor& executor = rank.executor();
  const std::vector<Section>& sections = executor.layout().sections();
  int looked_at = 0, steep = 0;
  for (int number = 0; number < static_cast<int>(sections.size()); ++number)
    for (const LocalTensor& tensor : sections[static_cast<std::size_t>(number)].tensors) {
      const Index element =
          tensor.offset +
          steepest(executor.weights().gradients(number).floats(tensor.offset), tensor.count());
      const double told =
          static_cast<double>(*executor.weights().gradients(number).floats(element));
      float* const weight = executor.weights().weights(number).floats(element);
      const double found =
          (4 * difference(rank, *weight, 5e-3F) - difference(rank, *weight, 1e-2F)) / 3;
      rank.loss();
      EXPECT_NEAR(told, found, 2e-4 + 0.01 * std::abs(found))
          << GetParam().name << " section " << number << " weight "
          << static_cast<int>(tensor.weight);
      ++looked_at;
      if (std::abs(told) > 2e-3) ++steep;
    }
  EXPECT_GE(looked_at, 27);  // Llama: 6 a layer, token table, final norm, projection
  // BERT has four that get no gradient; key biases get next to none, and norms of queries and keys
  // little.
  EXPECT_GE(steep, looked_at - (GetParam().qk_norm ? 9 : 5));
}

INSTANTIATE_TEST_SUITE_P(Models, Gradients,
                         testing::Values(toy_gpt2(), toy_llama(), toy_bert(),
                                         with_dropout(toy_gpt2()), with_dropout(toy_bert()),
                                         toy_mistral(), toy_qwen3()),
                         by_name);

}  // namespace
}  // namespace quintet::engine::test
