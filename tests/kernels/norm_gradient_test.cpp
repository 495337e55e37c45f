// A norm's gradients in one pass against those of the two operators it stands for, which are held
// to their formulas elsewhere (norm_test.cpp, wide_norm_test.cpp).
#include <type_traits>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class NormGradients : public Operators {
 protected:
  template <class Element>
  std::vector<Element> elements(Index count, unsigned seed) {
    Floats values = random_floats(count, seed);
    if constexpr (std::is_same_v<Element, float>)
      return values;
    else
      return narrow(*kernels_, values);
  }
  Floats floats(const std::vector<Bfloat16>& values) { return widened(*kernels_, values); }
  static Floats floats(const Floats& values) { return values; }

  enum class Norm { layer, rms };
  enum class Passes { one, two };
  // Gradients by input, weight and bias, where they are added to 0.5, over the upstream's memory.
  template <class Element>
  std::vector<Floats> gradients(Norm norm, Passes passes, Index rows, Index width) {
    const auto x = elements<Element>(rows * width, 1), weight = elements<Element>(width, 2),
               past = elements<Element>(rows * width, 3);
    auto gradient = elements<Element>(rows * width, 4);
    Floats mean = random_floats(rows, 5, 0.1F), inverse(size_of(rows), 1.25F);
    Floats by_weight(size_of(width), 0.5F), by_bias(size_of(width), 0.5F);
    const LayerNormGradient layer{
        {rows, width, gradient.data(), past.data(), x.data(), weight.data(), mean.data(),
         inverse.data(), gradient.data()},
        {rows, width, gradient.data(), x.data(), mean.data(), inverse.data(), by_weight.data(),
         by_bias.data(), GradientWrite::accumulate}};
    const RmsNormGradient rms{{rows, width, gradient.data(), past.data(), x.data(), weight.data(),
                               inverse.data(), gradient.data()},
                              {rows, width, gradient.data(), x.data(), inverse.data(),
                               by_weight.data(), GradientWrite::accumulate}};
    if (passes == Passes::one && norm == Norm::layer) kernels_->layer_norm_gradient(layer, stream_);
    if (passes == Passes::one && norm == Norm::rms) kernels_->rms_norm_gradient(rms, stream_);
    if (passes == Passes::two && norm == Norm::layer) {
      kernels_->layer_norm_weight_gradient(layer.weight, stream_);
      kernels_->layer_norm_input_gradient(layer.input, stream_);
    }
    if (passes == Passes::two && norm == Norm::rms) {
      kernels_->rms_norm_weight_gradient(rms.weight, stream_);
      kernels_->rms_norm_input_gradient(rms.input, stream_);
    }
    return {floats(gradient), by_weight, by_bias};
  }

  // 37 rows are several blocks of a GPU, the last one not full; widths are of few and many packs of
  // 16 bytes, of single elements, and more than a block holds.
  template <class Element>
  void compare(Norm norm, double tolerance) {
    for (const Index width : {96, 83, 1400, 4096, 20480}) {
      const Index rows = 37;
      const auto one = gradients<Element>(norm, Passes::one, rows, width),
                 two = gradients<Element>(norm, Passes::two, rows, width);
      for (std::size_t which = 0; which < one.size(); ++which)
        EXPECT_LT(relative_error(one[which], wide(two[which])), tolerance)
            << "gradient " << which << " of rows of " << width;
      EXPECT_EQ(bits_of(gradients<Element>(norm, Passes::one, rows, width)[1]), bits_of(one[1]));
    }
  }
};
QUINTET_ON_EVERY_IMPLEMENTATION(NormGradients);

TEST_P(NormGradients, OfLayerNormInOnePassAreThoseOfTwo) {
  compare<float>(Norm::layer, 1e-6);
  compare<Bfloat16>(Norm::layer, 1e-3);
}

TEST_P(NormGradients, OfRmsNormInOnePassAreThoseOfTwo) {
  compare<float>(Norm::rms, 1e-6);
  compare<Bfloat16>(Norm::rms, 1e-3);
}

}  // namespace
}  // namespace quintet::kernels
