// Every layout trains the same model: its loss curve is the single rank's.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "tests/engine/executor/layouts.h"
#include "tests/support/by_name.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 20;

double largest_difference(const std::vector<double>& left, const std::vector<double>& right) {
  double largest = 0;
  for (std::size_t step = 0; step < left.size(); ++step)
    largest = std::max(largest, std::abs(left[step] - right[step]) / std::abs(left[step]));
  return largest;
}

using Case = std::tuple<Model, Change>;

const Curve& single_rank(const Model& model) {
  static std::map<std::string, Curve> curves;
  const auto found = curves.find(model.name);
  return found != curves.end() ? found->second
                               : curves.emplace(model.name, train(toy(model), steps)).first->second;
}

class SameMathematics : public testing::TestWithParam<Case> {};

TEST_P(SameMathematics, LossAndGradientNormAreTheSingleRanks) {
  const auto& [model, layout] = GetParam();
  Toy split = toy(model);
  split.vocabulary_multiple = layout.vocabulary_multiple;
  layout.change(split.plan);
  const Curve curve = train(split, steps);
  ASSERT_FALSE(curve.error) << layout.name << ": " << curve.error->text();
  const Curve& single = single_rank(model);
  std::ostringstream error;
  error << largest_difference(single.losses, curve.losses);
  RecordProperty("relative_error", error.str());
  EXPECT_LT(largest_difference(single.losses, curve.losses), 1e-5) << layout.name;
  EXPECT_LT(largest_difference(single.norms, curve.norms), 1e-4) << layout.name;
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, SameMathematics,
    testing::Combine(testing::Values(toy_gpt2(), toy_llama(), toy_bert(), with_dropout(toy_gpt2()),
                                     with_dropout(toy_bert()), toy_mistral(), toy_qwen3()),
                     testing::ValuesIn(layouts())),
    by_name);

}  // namespace
}  // namespace quintet::engine::test
