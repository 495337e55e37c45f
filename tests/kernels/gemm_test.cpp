// Products of all three forms against a loop in double; bits under every split; bias.
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Gemms : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Gemms);

class SplitGemms : public Operators {};
QUINTET_ON_IMPLEMENTATIONS(SplitGemms, implementations_that_sum(Sums::split_exactly));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SplitGemms);

class GemmsInBlocks : public Operators {};
QUINTET_ON_IMPLEMENTATIONS(GemmsInBlocks, implementations_that_sum(Sums::in_blocks));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GemmsInBlocks);

constexpr GemmForm forms[] = {GemmForm::a_b, GemmForm::a_b_transposed, GemmForm::a_transposed_b};

struct Problem {
  GemmForm form;
  Index rows, columns, depth;
};

double naive_element(const Problem& p, const Floats& a, const Floats& b, Index r, Index c) {
  double sum = 0.0;
  for (Index k = 0; k < p.depth; ++k) {
    const Index left = p.form == GemmForm::a_transposed_b ? k * p.rows + r : r * p.depth + k;
    const Index right = p.form == GemmForm::a_b_transposed ? c * p.depth + k : k * p.columns + c;
    sum += static_cast<double>(a[size_of(left)]) * static_cast<double>(b[size_of(right)]);
  }
  return sum;
}

Doubles naive(const Problem& p, const Floats& a, const Floats& b) {
  Doubles c;
  for (Index r = 0; r < p.rows; ++r)
    for (Index column = 0; column < p.columns; ++column)
      c.push_back(naive_element(p, a, b, r, column));
  return c;
}

Gemm gemm_of(const Problem& p, ConstTensor a, ConstTensor b, Tensor c) {
  return {p.form, p.rows, p.columns, p.depth, a, b, c};
}

// Sizes around the tiles of 264 x 128 x 256, vectors of 16, register tiles of 12 x 32, and 3072,
// the depth that one pass goes through.
const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = [] {
    std::vector<Problem> made;
    for (const GemmForm form : forms) {
      made.push_back({form, 1, 1, 1});
      made.push_back({form, 7, 19, 5});
      made.push_back({form, 13, 33, 257});
      made.push_back({form, 270, 130, 40});
      made.push_back({form, 5, 33, 3100});
    }
    return made;
  }();
  return list;
}

TEST_P(Gemms, EveryFormIsTheSumOfProducts) {
  for (const Problem& p : problems()) {
    const Floats a = random_floats(p.rows * p.depth, 1);
    const Floats b = random_floats(p.depth * p.columns, 2);
    Floats c = poisoned(p.rows * p.columns);
    kernels_->gemm(gemm_of(p, a.data(), b.data(), c.data()), stream_);
    EXPECT_LT(relative_error(c, naive(p, a, b)), fp32_tolerance) << p.rows << " x " << p.columns;
  }
}

TEST_P(Gemms, AccumulateAddsToWhatIsThere) {
  const Problem p{GemmForm::a_transposed_b, 17, 40, 300};
  const Floats a = random_floats(p.rows * p.depth, 1);
  const Floats b = random_floats(p.depth * p.columns, 2);
  const Floats before = random_floats(p.rows * p.columns, 3, 10.0F);
  Floats c = before;
  Gemm g = gemm_of(p, a.data(), b.data(), c.data());
  g.write = GradientWrite::accumulate;
  kernels_->gemm(g, stream_);
  Doubles expected = naive(p, a, b);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<double>(before[i]);
  EXPECT_LT(relative_error(c, expected), fp32_tolerance);
}

TEST_P(Gemms, NoDepthIsZeroOrBias) {
  Floats c = poisoned(6);
  const Floats bias{1.0F, 2.0F, 3.0F};
  Gemm g{GemmForm::a_b, 2, 3, 0, bias.data(), bias.data(), c.data()};
  g.bias = bias.data();
  kernels_->gemm(g, stream_);
  EXPECT_EQ(c, (Floats{1.0F, 2.0F, 3.0F, 1.0F, 2.0F, 3.0F}));
}

// Once, however many passes over the depth there are.
TEST_P(Gemms, BiasIsAddedToEveryRow) {
  for (const Index depth : {33, 3100}) {
    const Problem p{GemmForm::a_b_transposed, 9, 21, depth};
    const Floats a = random_floats(p.rows * p.depth, 1);
    const Floats b = random_floats(p.depth * p.columns, 2);
    const Floats bias = random_floats(p.columns, 3);
    Floats fused = poisoned(p.rows * p.columns), apart = fused;
    Gemm g = gemm_of(p, a.data(), b.data(), fused.data());
    g.bias = bias.data();
    kernels_->gemm(g, stream_);
    Doubles expected = naive(p, a, b);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += static_cast<double>(bias[i % bias.size()]);
    EXPECT_LT(relative_error(fused, expected), fp32_tolerance);
    kernels_->gemm(gemm_of(p, a.data(), b.data(), apart.data()), stream_);
    kernels_->bias_add({p.rows, p.columns, apart.data(), bias.data()}, stream_);
    EXPECT_LT(relative_error(apart, expected), fp32_tolerance);
  }
}

TEST_P(Gemms, BiasGradientSumsRows) {
  const Index rows = 600, columns = 530;
  const Floats upstream = random_floats(rows * columns, 1);
  Floats gradient = poisoned(columns);
  kernels_->bias_gradient(
      {rows, columns, upstream.data(), gradient.data(), GradientWrite::overwrite}, stream_);
  Doubles expected(size_of(columns));
  for (std::size_t i = 0; i < upstream.size(); ++i)
    expected[i % expected.size()] += static_cast<double>(upstream[i]);
  EXPECT_LT(relative_error(gradient, expected), fp32_tolerance);
  kernels_->bias_gradient({rows, columns, upstream.data(), gradient.data()}, stream_);
  for (double& value : expected) value *= 2.0;
  EXPECT_LT(relative_error(gradient, expected), fp32_tolerance);
}

// dx = dy w and dw = dy^T x are the gradients of dy . (x w^T): forms 2 and 3 belong to form 1.
TEST_P(Gemms, InputAndWeightGradientBelongToTheForward) {
  const Index rows = 4, in = 6, out = 5;
  const Floats x = random_floats(rows * in, 1), w = random_floats(out * in, 2);
  const Floats dy = random_floats(rows * out, 3);
  Floats dx = poisoned(rows * in), dw = poisoned(out * in);
  kernels_->gemm({GemmForm::a_b, rows, in, out, dy.data(), w.data(), dx.data()}, stream_);
  kernels_->gemm({GemmForm::a_transposed_b, out, in, rows, dy.data(), x.data(), dw.data()},
                 stream_);
  const auto loss = [&](const Doubles& xs, const Doubles& ws) {
    double sum = 0.0;
    for (Index r = 0; r < rows; ++r)
      for (Index o = 0; o < out; ++o)
        for (Index i = 0; i < in; ++i)
          sum += static_cast<double>(dy[size_of(r * out + o)]) * xs[size_of(r * in + i)] *
                 ws[size_of(o * in + i)];
    return sum;
  };
  const auto by_x = numeric_gradient([&](const Doubles& v) { return loss(v, wide(w)); }, wide(x));
  const auto by_w = numeric_gradient([&](const Doubles& v) { return loss(wide(x), v); }, wide(w));
  EXPECT_LT(relative_error(dx, by_x), gradient_tolerance);
  EXPECT_LT(relative_error(dw, by_w), gradient_tolerance);
}

TEST_P(SplitGemms, OfRowsAndColumnsBetweenRanksGiveTheSameBits) {
  for (const GemmForm form : forms) {
    const Problem p{form, 50, 70, 300};
    const Floats a = random_floats(p.rows * p.depth, 1), b = random_floats(p.depth * p.columns, 2);
    Floats whole = poisoned(p.rows * p.columns), split = whole;
    const Gemm g = gemm_of(p, a.data(), b.data(), whole.data());
    kernels_->gemm(g, stream_);
    const Index a_step = form == GemmForm::a_transposed_b ? 1 : p.depth;
    const Index b_step = form == GemmForm::a_b_transposed ? p.depth : 1;
    for (const auto& [row, rows] : {std::pair<Index, Index>{0, 7}, {7, 43}})
      for (const auto& [column, columns] : {std::pair<Index, Index>{0, 33}, {33, 37}}) {
        Gemm shard = gemm_of({form, rows, columns, p.depth}, a.data() + row * a_step,
                             b.data() + column * b_step, split.data() + row * p.columns + column);
        shard.a_stride = form == GemmForm::a_transposed_b ? p.rows : p.depth;
        shard.b_stride = form == GemmForm::a_b_transposed ? p.depth : p.columns;
        shard.c_stride = p.columns;
        kernels_->gemm(shard, stream_);
      }
    EXPECT_EQ(bits_of(whole), bits_of(split));
  }
}

// gemm.h: shards of whole blocks, handed from one to the next, are the whole bit for bit.
TEST_P(GemmsInBlocks, DepthSplitAtBlocksAndHandedOnGivesTheSameBits) {
  const Problem p{GemmForm::a_b, 20, 40, 4 * gemm_summation_block};
  const Floats a = random_floats(p.rows * p.depth, 1), b = random_floats(p.depth * p.columns, 2);
  Floats whole = poisoned(p.rows * p.columns), handed(whole.size(), 0.0F);
  kernels_->gemm(gemm_of(p, a.data(), b.data(), whole.data()), stream_);
  const Index shard = 2 * gemm_summation_block;
  for (Index k = 0; k < p.depth; k += shard) {
    Gemm g = gemm_of({p.form, p.rows, p.columns, shard}, a.data() + k, b.data() + k * p.columns,
                     handed.data());
    g.a_stride = p.depth;
    g.write = GradientWrite::accumulate;
    kernels_->gemm(g, stream_);
  }
  EXPECT_EQ(bits_of(whole), bits_of(handed));
}

TEST_P(Gemms, Bf16IsCloseToFp32AndSummedInFp32) {
  for (const Problem& p : problems()) {
    const auto a = narrow(*kernels_, random_floats(p.rows * p.depth, 1));
    const auto b = narrow(*kernels_, random_floats(p.depth * p.columns, 2));
    auto c = poisoned_bf16(p.rows * p.columns);
    Floats sums = poisoned(p.rows * p.columns);
    kernels_->gemm(gemm_of(p, a.data(), b.data(), c.data()), stream_);
    kernels_->gemm(gemm_of(p, a.data(), b.data(), sums.data()), stream_);
    // The inputs are bf16 numbers, so fp32 sums of their products have fp32's error.
    const Doubles expected = naive(p, widened(*kernels_, a), widened(*kernels_, b));
    EXPECT_LT(relative_error(sums, expected), fp32_tolerance);
    EXPECT_LT(relative_error(widened(*kernels_, c), expected), bf16_tolerance);
  }
}

}  // namespace
}  // namespace quintet::kernels
