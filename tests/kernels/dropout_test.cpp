#include "kernels/philox.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Dropouts : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Dropouts);

constexpr Index rows = 5;
constexpr Index width = 43;
constexpr float probability = 0.3F;
constexpr std::uint64_t seed = 0x123456789ABCDEF0ULL;
constexpr std::uint64_t draw = 0xFEDCBA9876543210ULL;

// Known answers of the authors' library: https://github.com/DEShawResearch/random123 kat_vectors,
// lines philox4x32 10.
TEST(Philox, GivesItsAuthorsNumbers) {
  EXPECT_EQ(philox(0, {0, 0, 0, 0}), (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ULL, {~0U, ~0U, ~0U, ~0U}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822ULL, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

float naive(float input, Index element) {
  const auto block = static_cast<std::uint64_t>(element) / 4;
  const PhiloxWords words =
      philox(seed, {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                    static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)});
  const bool kept = words[size_of(element % 4)] >= static_cast<double>(probability) * 0x1p32 - 1.0;
  return kept ? input * (1.0F / (1.0F - probability)) : 0.0F;
}

TEST_P(Dropouts, EachElementIsKeptByItsOwnWord) {
  const Floats input = random_floats(rows * width, 1);
  Floats output = poisoned(rows * width), expected;
  // Far out, so that the upper half of the counter is in use.
  const Index far = (Index{1} << 35) / width;
  kernels_->dropout({probability, seed, draw, rows, width, 0, far, 0, input.data(), output.data()},
                    stream_);
  for (Index i = 0; i < rows * width; ++i)
    expected.push_back(naive(input[size_of(i)], far * width + i));
  EXPECT_EQ(output, expected);
}

TEST_P(Dropouts, AnySplitDropsTheSameElements) {
  const Floats input = random_floats(rows * width, 1);
  Floats whole = poisoned(rows * width), split = whole;
  kernels_->dropout({probability, seed, draw, rows, width, 0, 0, 0, input.data(), whole.data()},
                    stream_);
  for (const auto& [column, columns] : {std::pair<Index, Index>{0, 17}, {17, 26}})
    for (Index row = 0; row < rows; ++row) {
      const Index at = row * width + column;
      kernels_->dropout({probability, seed, draw, 1, columns, width, row, column, input.data() + at,
                         split.data() + at},
                        stream_);
    }
  EXPECT_EQ(split, whole);
}

TEST_P(Dropouts, ProbabilityZeroKeepsAll) {
  const Floats input = random_floats(rows * width, 1);
  Floats output = poisoned(rows * width);
  kernels_->dropout({0.0F, seed, draw, rows, width, 0, 0, 0, input.data(), output.data()}, stream_);
  EXPECT_EQ(output, input);
}

// 100,000 elements: the share kept has a deviation of sqrt(0.3 * 0.7 / 1e5) = 0.0014; five of them.
TEST_P(Dropouts, KeepsTheShareItShouldAndDrawsDiffer) {
  const Floats ones(100000, 1.0F);
  Floats first = poisoned(100000), second = first;
  kernels_->dropout({probability, seed, 1, 1, 100000, 0, 0, 0, ones.data(), first.data()}, stream_);
  kernels_->dropout({probability, seed, 2, 1, 100000, 0, 0, 0, ones.data(), second.data()},
                    stream_);
  double kept = 0.0, both = 0.0;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    kept += first[i] > 0.0F ? 1e-5 : 0.0;
    both += first[i] > 0.0F && second[i] > 0.0F ? 1e-5 : 0.0;
  }
  EXPECT_NEAR(kept, 0.7, 0.0072);
  EXPECT_NEAR(both, 0.49, 0.0079);
}

}  // namespace
}  // namespace quintet::kernels
