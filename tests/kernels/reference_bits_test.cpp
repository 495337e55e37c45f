// The reference's bits are the same in every build: a checksum of every operator's output over
// inputs made of integers. The numbers are what the code gave when it was written; they move when
// an order of sums is changed on purpose, never with compiler, build type, or CPU.
#include "kernels/cpu/targets.h"
#include "kernels/philox.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

// Between -2 and 2, multiples of 2^-22, without the standard library's generators.
Floats made_numbers(Index count, std::uint64_t seed) {
  Floats made(size_of(count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const PhiloxWords words = philox(seed, {static_cast<std::uint32_t>(i), 0, 0, 0});
    made[i] = static_cast<float>(static_cast<std::int32_t>(words[0]) >> 8) * 0x1p-22F;
  }
  return made;
}

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over the bits.
std::uint64_t checksum(const Floats& values) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const std::uint32_t bits : bits_of(values)) sum = (sum ^ bits) * 0x100000001b3ULL;
  return sum;
}

class ReferenceBits : public testing::TestWithParam<CpuTarget> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU has no AVX-512 (F, BW, DQ, VL)";
    kernels_ = cpu_kernels(GetParam());
  }
  std::unique_ptr<Kernels> kernels_;
  Stream stream_;
};
INSTANTIATE_TEST_SUITE_P(On, ReferenceBits,
                         testing::Values(CpuTarget::portable, CpuTarget::exact_avx512),
                         [](const auto& instance) {
                           return instance.param == CpuTarget::portable ? "portable"
                                                                        : "exact_avx512";
                         });

constexpr Index rows = 37;
constexpr Index width = 75;

TEST_P(ReferenceBits, Gemm) {
  const Floats a = made_numbers(rows * 300, 1), b = made_numbers(300 * width, 2);
  Floats c = poisoned(rows * width);
  std::string found;
  for (const GemmForm form : {GemmForm::a_b, GemmForm::a_b_transposed, GemmForm::a_transposed_b}) {
    kernels_->gemm({form, rows, width, 300, a.data(), b.data(), c.data()}, stream_);
    found += std::to_string(checksum(c)) + " ";
  }
  EXPECT_EQ(found, "504897358593808720 17795465945849760976 910602739617998705 ");
}

TEST_P(ReferenceBits, Norms) {
  const Floats x = made_numbers(rows * width, 1), up = made_numbers(rows * width, 2);
  const Floats weight = made_numbers(width, 3);
  Floats y = poisoned(rows * width), mean = poisoned(rows), inverse = poisoned(rows);
  Floats dx = y, dw = poisoned(width), db = dw;
  kernels_->layer_norm_forward({rows,
                                width,
                                1e-5F,
                                x.data(),
                                {},
                                {},
                                weight.data(),
                                weight.data(),
                                y.data(),
                                mean.data(),
                                inverse.data()},
                               stream_);
  kernels_->layer_norm_input_gradient(
      {rows, width, up.data(), {}, x.data(), weight.data(), mean.data(), inverse.data(), dx.data()},
      stream_);
  kernels_->layer_norm_weight_gradient(
      {rows, width, up.data(), x.data(), mean.data(), inverse.data(), dw.data(), db.data(),
       GradientWrite::overwrite},
      stream_);
  EXPECT_EQ(checksum(y), 8211652600218678520ULL);
  EXPECT_EQ(checksum(dx), 16343514446098531997ULL);
  EXPECT_EQ(checksum(dw), 14297947093304690905ULL);
  kernels_->rms_norm_forward(
      {rows, width, 1e-5F, x.data(), {}, {}, weight.data(), y.data(), inverse.data()}, stream_);
  EXPECT_EQ(checksum(y), 16628092684073998611ULL);
}

TEST_P(ReferenceBits, Attention) {
  const Index heads = 2, size = 18, tokens = 90;
  const std::vector<std::int32_t> starts{0, 80, 90};
  const Index all = tokens * heads * size;
  const Floats q = made_numbers(all, 1), k = made_numbers(all, 2), v = made_numbers(all, 3);
  AttentionLayout shape{2, starts.data(), starts.data(), heads, heads, size};
  shape.scale = 0.25F;
  Floats y = poisoned(all), lse = poisoned(tokens * heads), dq = y, dk = y, dv = y;
  Floats workspace = poisoned(attention_backward_workspace(shape));
  kernels_->attention_forward({shape, q.data(), k.data(), v.data(), y.data(), lse.data()}, stream_);
  kernels_->attention_backward({shape, q.data(), k.data(), v.data(), y.data(), k.data(), lse.data(),
                                dq.data(), dk.data(), dv.data(), workspace.data()},
                               stream_);
  EXPECT_EQ(checksum(y), 6456470092224722324ULL);
  EXPECT_EQ(checksum(lse), 1189156328451135751ULL);
  EXPECT_EQ(checksum(dq), 10874986539241496113ULL);
  EXPECT_EQ(checksum(dk), 378593188475425440ULL);
  EXPECT_EQ(checksum(dv), 4594977929786695364ULL);
}

TEST_P(ReferenceBits, Activations) {
  const Index count = 1000;
  const Floats x = made_numbers(count, 1);
  for (const auto& [form, forward, backward] :
       {std::tuple{GeluForm::error_function, 831044704481179630ULL, 18089408762153784811ULL},
        std::tuple{GeluForm::hyperbolic, 5602123408327433468ULL, 15937201092440387648ULL}}) {
    Floats y = poisoned(count), dx = y;
    kernels_->gelu_forward({form, count, x.data(), y.data()}, stream_);
    kernels_->gelu_backward({form, count, x.data(), x.data(), dx.data()}, stream_);
    EXPECT_EQ(checksum(y), forward);
    EXPECT_EQ(checksum(dx), backward);
  }
  Floats y = poisoned(count);
  kernels_->swiglu_forward({1, count, 0, x.data(), x.data(), y.data()}, stream_);
  EXPECT_EQ(checksum(y), 9387973698964950912ULL);
}

TEST_P(ReferenceBits, CrossEntropy) {
  const std::vector<std::int32_t> targets(size_of(rows), 7);
  Floats logits = made_numbers(rows * width, 1), loss = poisoned(rows);
  kernels_->cross_entropy({{rows, width, 0, 0, targets.data(), logits.data()}, 1.0F, loss.data()},
                          stream_);
  EXPECT_EQ(checksum(loss), 9771498551575001565ULL);
  EXPECT_EQ(checksum(logits), 970047677764814662ULL);
}

TEST_P(ReferenceBits, Adamw) {
  Floats parameter = made_numbers(width, 1), first(size_of(width), 0.0F), second = first;
  const Floats gradient = made_numbers(width, 2);
  for (int step = 1; step <= 3; ++step) {
    const auto now = update_numbers(*kernels_, stream_, step, 0.01F, 0.9F, 0.999F);
    kernels_->adamw(
        {list_of_one(ParameterStretch{
             width, parameter.data(), gradient.data(), first.data(), second.data(), 0.1F, {}}),
         nullptr,
         {0.9F, 0.999F, 1e-8F},
         now.get()},
        stream_);
  }
  EXPECT_EQ(checksum(parameter), 6154039570299888718ULL);
}

}  // namespace
}  // namespace quintet::kernels
