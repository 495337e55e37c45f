// The discrete cosine transform against scipy's and against its definition; the largest
// coefficients and their mean.
#include <algorithm>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class Cosines : public Operators {
 protected:
  void SetUp() override {
    Operators::SetUp();
    if (kernels_ == nullptr) return;
    cosines_ = kernels_->on_cosines();
    if (cosines_ == nullptr) GTEST_SKIP() << GetParam().name << " has none of these operators";
  }
  Floats transform(CosineDirection direction, const Chunks& chunks, const Floats& input) {
    Floats output = poisoned(chunks.rows * chunks.columns);
    cosines_->cosine_transform({direction, chunks, input.data(), output.data()}, stream_);
    return output;
  }

  CosineKernels* cosines_ = nullptr;
};
QUINTET_ON_EVERY_IMPLEMENTATION(Cosines);

// scipy 1.10.1: scipy.fft.dct(x, type=2, norm="ortho").
TEST_P(Cosines, OneDimensionIsScipys) {
  const Floats x{0.5F, -1.25F, 2.0F, 0.75F, -0.5F, 3.0F, -2.25F, 1.0F};
  const Doubles expected{1.149048519, 0.014684821,  -1.04897988, -0.16225132,
                         0.088388348, -0.207161852, 4.165665158, -1.355283303};
  EXPECT_LT(relative_error(transform(CosineDirection::forward, {1, 8, 1, 8}, x), expected),
            fp32_tolerance);
}

// scipy 1.10.1: scipy.fft.dctn(y, type=2, norm="ortho") of sin(1.7 i + 0.3).
TEST_P(Cosines, TwoDimensionsAreScipys) {
  Floats y;
  for (int i = 0; i < 12; ++i) y.push_back(std::sin(1.7F * static_cast<float>(i) + 0.3F));
  const Doubles expected{0.060056589,  1.749753939,  0.526173436,  -1.047749325,
                         -0.115840682, 0.17715847,   -1.014914272, -0.106082154,
                         -0.004050118, -0.118000535, -0.035484273, 0.070658496};
  EXPECT_LT(relative_error(transform(CosineDirection::forward, {3, 4, 3, 4}, y), expected),
            fp32_tolerance);
}

double basis(Index n, Index i, Index j) {
  return std::sqrt((i == 0 ? 1.0 : 2.0) / static_cast<double>(n)) *
         std::cos(3.14159265358979323846 * static_cast<double>((2 * j + 1) * i) /
                  static_cast<double>(2 * n));
}

// Chunk after chunk, by the definition; what is summed may be changed first.
template <class Change>
Doubles by_definition(const Chunks& c, const Floats& x, const Change& changed) {
  Doubles made;
  for (Index down = 0; down < c.rows; down += c.chunk_rows)
    for (Index across = 0; across < c.columns; across += c.chunk_columns)
      for (Index i = 0; i < c.chunk_rows; ++i)
        for (Index j = 0; j < c.chunk_columns; ++j) {
          double sum = 0.0;
          for (Index r = 0; r < c.chunk_rows; ++r)
            for (Index k = 0; k < c.chunk_columns; ++k)
              sum += changed(basis(c.chunk_rows, i, r) * basis(c.chunk_columns, j, k) *
                             static_cast<double>(x[size_of((down + r) * c.columns + across + k)]));
          made.push_back(sum);
        }
  return made;
}
Doubles by_definition(const Chunks& c, const Floats& x) {
  return by_definition(c, x, [](double product) { return product; });
}
// |B| |x| |B'|.
Doubles of_magnitudes(const Chunks& c, const Floats& x) {
  return by_definition(c, x, [](double product) { return std::abs(product); });
}

constexpr Chunks shapes[] = {{1, 192, 1, 64},  {1, 7, 1, 7},     {1, 5, 1, 1},
                             {24, 30, 12, 10}, {64, 64, 64, 64}, {6, 65, 3, 13}};

TEST_P(Cosines, ChunksAreTransformedOneByOne) {
  for (const Chunks& chunks : shapes) {
    const Floats x = random_floats(chunks.rows * chunks.columns, 1);
    EXPECT_LT(
        relative_error(transform(CosineDirection::forward, chunks, x), by_definition(chunks, x)),
        fp32_tolerance)
        << chunks.rows << " x " << chunks.columns;
  }
}

// Sums of n and of m products in fp32, whatever their order: an element is off by gamma_k (|B| |x|
// |B'|) at most, gamma_k = k u / (1 - k u), u = 2^-24 (Higham, Accuracy and Stability of Numerical
// Algorithms, section 3.5), with k = n + m for the sums, 2 for the two bases, which are rounded to
// fp32, and 1 for the reference's own rounding. A GPU makes its bases in fp32, from a root, a
// quotient and a cosine: 4 u each in place of 1.
TEST_P(Cosines, EveryElementIsAsNearToTheReferenceAsRoundingAllows) {
  const auto reference = reference_kernels();
  for (const Chunks& chunks : shapes) {
    const Index all = chunks.rows * chunks.columns, n = chunks.chunk_rows, m = chunks.chunk_columns;
    const Floats x = random_floats(all, 5);
    const double steps = static_cast<double>(n + m + 9) * 0x1p-24;
    const Floats found = transform(CosineDirection::forward, chunks, x);
    Floats expected = poisoned(all);
    reference->on_cosines()->cosine_transform(
        {CosineDirection::forward, chunks, x.data(), expected.data()}, stream_);
    const Doubles bound = of_magnitudes(chunks, x);
    for (std::size_t at = 0; at < found.size(); ++at)
      ASSERT_LE(std::abs(static_cast<double>(found[at]) - static_cast<double>(expected[at])),
                steps / (1.0 - steps) * bound[at])
          << "element " << at << " of " << chunks.rows << " x " << chunks.columns;
  }
}

TEST_P(Cosines, TheInverseGivesTheTensorBack) {
  for (const Chunks& chunks : shapes) {
    const Floats x = random_floats(chunks.rows * chunks.columns, 2);
    const Floats y = transform(CosineDirection::forward, chunks, x);
    EXPECT_LT(relative_error(transform(CosineDirection::inverse, chunks, y), wide(x)),
              fp32_tolerance)
        << chunks.rows << " x " << chunks.columns;
  }
}

TEST(ChunkLength, IsTheLargestDivisorUpToTheTarget) {
  EXPECT_EQ(chunk_length(768, 64), 64);
  EXPECT_EQ(chunk_length(50257, 64), 29);  // 29 * 1733
  EXPECT_EQ(chunk_length(67, 64), 1);
  EXPECT_EQ(chunk_length(40, 64), 40);
}

TEST_P(Cosines, TheLargestComeFirstAndOfEqualOnesTheFirst) {
  const Floats x{1.0F, -3.0F, 2.0F, 3.0F, /**/ -0.0F, 0.0F, 0.0F, -5.0F};
  std::vector<std::int32_t> positions(6, -1);
  Floats values = poisoned(6);
  cosines_->largest_coefficients({2, 4, 3, x.data(), positions.data(), values.data()}, stream_);
  EXPECT_EQ(positions, (std::vector<std::int32_t>{1, 3, 2, 3, 0, 1}));
  EXPECT_EQ(values, (Floats{-3.0F, 3.0F, 2.0F, -5.0F, -0.0F, 0.0F}));
}

TEST_P(Cosines, TheLargestOfWholeChunksAreThoseOfASort) {
  for (const auto& [size, kept] : {std::pair<Index, Index>{64, 4}, {4096, 32}, {195, 195}}) {
    const Index chunks = 3;
    const Floats x = random_floats(chunks * size, 3);
    std::vector<std::int32_t> positions(size_of(chunks * kept), -1), expected;
    Floats values = poisoned(chunks * kept), expected_values;
    cosines_->largest_coefficients({chunks, size, kept, x.data(), positions.data(), values.data()},
                                   stream_);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      const Floats part = part_of(x, chunk * size, size);
      std::vector<std::int32_t> order(part.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
        return std::fabs(part[size_of(left)]) > std::fabs(part[size_of(right)]);
      });
      for (Index i = 0; i < kept; ++i) {
        expected.push_back(order[size_of(i)]);
        expected_values.push_back(part[size_of(order[size_of(i)])]);
      }
    }
    EXPECT_EQ(positions, expected);
    EXPECT_EQ(values, expected_values);
  }
}

TEST_P(Cosines, ANanIsNotHidden) {
  const Floats x{1e30F, std::numeric_limits<float>::quiet_NaN(), 2.0F};
  std::vector<std::int32_t> positions(1, -1);
  Floats values(1);
  cosines_->largest_coefficients({1, 3, 1, x.data(), positions.data(), values.data()}, stream_);
  EXPECT_EQ(positions[0], 1);
  EXPECT_TRUE(std::isnan(values[0]));
}

// Two senders, two chunks of 4, two kept: only position 2 of chunk 0 comes from both: (1 + 3) / 2.
TEST_P(Cosines, ACoefficientIsTheMeanOfThoseWhoSentIt) {
  const std::vector<std::int32_t> positions{2, 0, 3, 1, /**/ 1, 2, 0, 2};
  const Floats values{1.0F, 5.0F, 7.0F, -2.0F, /**/ 4.0F, 3.0F, 6.0F, 8.0F};
  Floats made = poisoned(8);
  cosines_->mean_of_coefficients({2, 4, 2, 2, positions.data(), values.data(), made.data()},
                                 stream_);
  EXPECT_EQ(made, (Floats{5.0F, 4.0F, 2.0F, 0.0F, /**/ 6.0F, -2.0F, 8.0F, 7.0F}));
}

// One sender who keeps all: what is left out is nothing, so the tensor comes back.
TEST_P(Cosines, KeepingEverythingLosesNothing) {
  const Chunks chunks{8, 12, 4, 6};
  const Index size = chunk_size(chunks), count = chunk_count(chunks);
  const Floats x = random_floats(chunks.rows * chunks.columns, 4);
  const Floats y = transform(CosineDirection::forward, chunks, x);
  std::vector<std::int32_t> positions(y.size());
  Floats values(y.size()), merged = poisoned(static_cast<Index>(y.size()));
  cosines_->largest_coefficients({count, size, size, y.data(), positions.data(), values.data()},
                                 stream_);
  cosines_->mean_of_coefficients(
      {count, size, size, 1, positions.data(), values.data(), merged.data()}, stream_);
  EXPECT_EQ(bits_of(merged), bits_of(y));
}

}  // namespace
}  // namespace quintet::kernels
