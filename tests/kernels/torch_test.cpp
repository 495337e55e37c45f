// Against what PyTorch computed in double: reference/*.txt, written by reference/make_reference.py.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Torch : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Torch);

using Arrays = std::map<std::string, Floats>;

// A program that was built elsewhere is told where the sources lie here.
std::filesystem::path source_folder() {
  const char* const named = std::getenv("QUINTET_SOURCE_DIR");
  return named == nullptr ? QUINTET_SOURCE_DIR : named;
}

Arrays read_reference(const std::string& name) {
  const auto path = source_folder() / "tests/kernels/reference";
  std::ifstream file(path / (name + ".txt"));
  std::string comment;
  std::getline(file, comment);
  Arrays arrays;
  std::string array;
  std::size_t count = 0;
  while (file >> array >> count) {
    Floats values(count);
    for (float& value : values) file >> value;
    arrays.emplace(array, values);
  }
  EXPECT_FALSE(arrays.empty()) << path << " was not read";
  return arrays;
}

Floats like(const Floats& other) {
  return poisoned(static_cast<Index>(other.size()));
}

TEST_P(Torch, LayerNorm) {
  const Arrays of = read_reference("layer_norm");
  const Floats &x = of.at("x"), &weight = of.at("weight"), &upstream = of.at("upstream");
  Floats y = like(x), mean = poisoned(3), inverse = poisoned(3);
  Floats dx = like(x), dweight = like(weight), dbias = like(weight);
  kernels_->layer_norm_forward({3,
                                20,
                                1e-5F,
                                x.data(),
                                {},
                                {},
                                weight.data(),
                                of.at("bias").data(),
                                y.data(),
                                mean.data(),
                                inverse.data()},
                               stream_);
  kernels_->layer_norm_input_gradient(
      {3, 20, upstream.data(), {}, x.data(), weight.data(), mean.data(), inverse.data(), dx.data()},
      stream_);
  kernels_->layer_norm_weight_gradient(
      {3, 20, upstream.data(), x.data(), mean.data(), inverse.data(), dweight.data(), dbias.data(),
       GradientWrite::overwrite},
      stream_);
  EXPECT_LT(relative_error(y, of.at("y")), fp32_tolerance);
  EXPECT_LT(relative_error(dx, of.at("x_gradient")), fp32_tolerance);
  EXPECT_LT(relative_error(dweight, of.at("weight_gradient")), fp32_tolerance);
  EXPECT_LT(relative_error(dbias, of.at("bias_gradient")), fp32_tolerance);
}

TEST_P(Torch, Gelu) {
  const Arrays of = read_reference("gelu");
  for (const auto& [name, form] :
       {std::pair<std::string, GeluForm>{"none", GeluForm::error_function},
        {"tanh", GeluForm::hyperbolic}}) {
    const Floats &x = of.at(name + "_x"), &upstream = of.at(name + "_upstream");
    Floats y = like(x), dx = like(x);
    kernels_->gelu_forward({form, 40, x.data(), y.data()}, stream_);
    kernels_->gelu_backward({form, 40, x.data(), upstream.data(), dx.data()}, stream_);
    EXPECT_LT(relative_error(y, of.at(name + "_y")), fp32_tolerance);
    EXPECT_LT(relative_error(dx, of.at(name + "_x_gradient")), fp32_tolerance);
  }
}

TEST_P(Torch, Attention) {
  const Arrays of = read_reference("attention");
  const Floats &q = of.at("query"), &k = of.at("key"), &v = of.at("value");
  const std::vector<std::int32_t> starts{0, 7};
  AttentionLayout shape{1, starts.data(), starts.data(), 4, 2, 6};
  shape.scale = static_cast<float>(1.0 / std::sqrt(6.0));
  Floats y = like(q), lse = poisoned(28), dq = like(q), dk = like(k), dv = like(v);
  Floats workspace = poisoned(attention_backward_workspace(shape));
  kernels_->attention_forward({shape, q.data(), k.data(), v.data(), y.data(), lse.data()}, stream_);
  kernels_->attention_backward(
      {shape, q.data(), k.data(), v.data(), y.data(), of.at("upstream").data(), lse.data(),
       dq.data(), dk.data(), dv.data(), workspace.data()},
      stream_);
  EXPECT_LT(relative_error(y, of.at("y")), fp32_tolerance);
  EXPECT_LT(relative_error(lse, of.at("log_sum_exp")), fp32_tolerance);
  EXPECT_LT(relative_error(dq, of.at("query_gradient")), fp32_tolerance);
  EXPECT_LT(relative_error(dk, of.at("key_gradient")), fp32_tolerance);
  EXPECT_LT(relative_error(dv, of.at("value_gradient")), fp32_tolerance);
}

TEST_P(Torch, CrossEntropy) {
  const Arrays of = read_reference("cross_entropy");
  const std::vector<std::int32_t> targets{5, 22, -100, 0};
  Floats logits = of.at("logits"), loss = poisoned(4);
  kernels_->cross_entropy({{4, 23, 0, 0, targets.data(), logits.data()}, 1.0F, loss.data()},
                          stream_);
  EXPECT_LT(relative_error(loss, of.at("loss")), fp32_tolerance);
  EXPECT_LT(relative_error(logits, of.at("gradient")), fp32_tolerance);
}

TEST_P(Torch, Rotary) {
  const Arrays of = read_reference("rotary");
  const std::vector<std::int32_t> positions{0, 1, 2, 3, 4};
  Doubles frequencies(4);
  Floats cosines = poisoned(20), sines = poisoned(20);
  rotary_frequencies(10000.0, frequencies);
  rotary_tables(frequencies, cosines, sines);
  const auto turn = [&](RotaryDirection direction, const Floats& from) {
    Floats to = like(from);
    kernels_->rotary({direction, 5, 2, 8, positions.data(), cosines.data(), sines.data(),
                      from.data(), to.data()},
                     stream_);
    return to;
  };
  EXPECT_LT(relative_error(turn(RotaryDirection::forward, of.at("x")), of.at("y")), fp32_tolerance);
  EXPECT_LT(relative_error(turn(RotaryDirection::backward, of.at("upstream")), of.at("x_gradient")),
            fp32_tolerance);
}

TEST_P(Torch, Adamw) {
  const Arrays of = read_reference("adamw");
  Floats parameter = of.at("start"), first(30, 0.0F), second(30, 0.0F);
  for (int step = 1; step <= 4; ++step) {
    const auto now = update_numbers(*kernels_, stream_, step, 0.01F, 0.9F, 0.95F);
    kernels_->adamw({list_of_one(ParameterStretch{30,
                                                  parameter.data(),
                                                  of.at("gradients").data() + 30 * (step - 1),
                                                  first.data(),
                                                  second.data(),
                                                  0.1F,
                                                  {}}),
                     nullptr,
                     {0.9F, 0.95F, 1e-8F},
                     now.get()},
                    stream_);
  }
  EXPECT_LT(relative_error(parameter, of.at("parameter")), fp32_tolerance);
}

TEST_P(Torch, ClipGradNorm) {
  const Arrays of = read_reference("clip");
  Floats gradient = of.at("gradient");
  double squared = 0.0;
  float rounded = 0.0F, factor = 0.0F;
  kernels_->squared_norm({list_of_one(ConstStretch{30, gradient.data()}), &squared,
                          GradientWrite::overwrite, &rounded},
                         stream_);
  kernels_->clip_factor({&rounded, 1.0F, 1.0F, &factor}, stream_);
  kernels_->scale_gradients({list_of_one(GradientStretch{30, gradient.data()}), &factor}, stream_);
  EXPECT_NEAR(std::sqrt(squared), static_cast<double>(of.at("norm")[0]), 1e-6);
  EXPECT_LT(relative_error(gradient, of.at("clipped")), fp32_tolerance);
}

}  // namespace
}  // namespace quintet::kernels
