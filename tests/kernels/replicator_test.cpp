// What replicators do to vectors. No product is fused with a sum, so every implementation has the
// reference's bits; what is expected of the rest is written here as the header words it.
#include "kernels/replicator.h"

#include <algorithm>
#include <numeric>

#include "kernels/philox.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

using Positions = std::vector<std::int32_t>;

// Packs of 16 bytes and a rest, and what no pack divides.
constexpr Index counts[] = {1, 64, 1000, 4099};

class Replicators : public Operators {
 protected:
  void SetUp() override {
    Operators::SetUp();
    if (kernels_ == nullptr) return;
    replicators_ = kernels_->on_replicators();
    if (replicators_ == nullptr) GTEST_SKIP() << GetParam().name << " has none of these operators";
  }
  ReplicatorKernels& reference() { return *reference_->on_replicators(); }

  ReplicatorKernels* replicators_ = nullptr;
  std::unique_ptr<Kernels> reference_ = reference_kernels();
};
QUINTET_ON_EVERY_IMPLEMENTATION(Replicators);

// 0.9 * 2 + 0.5 * 4 and 0.9 * -1 + 0.5 * 2, each rounded: 3.8 and 0.1.
TEST_P(Replicators, AMomentumDecaysAndTakesTheGradient) {
  const Floats gradient{4.0F, 2.0F}, rate{0.5F};
  Floats momentum{2.0F, -1.0F};
  replicators_->momentum_add({2, 0.9F, rate.data(), gradient.data(), momentum.data()}, stream_);
  EXPECT_FLOAT_EQ(momentum[0], 3.8F);
  EXPECT_NEAR(momentum[1], 0.1F, 1e-7);
}

TEST_P(Replicators, MomentaHaveTheReferencesBits) {
  for (const Index count : counts) {
    const Floats gradient = random_floats(count, 1), rate{0.37F};
    for (const float* const by : {rate.data(), static_cast<const float*>(nullptr)}) {
      Floats found = random_floats(count, 2), expected = found;
      replicators_->momentum_add({count, 0.9F, by, gradient.data(), found.data()}, stream_);
      reference().momentum_add({count, 0.9F, by, gradient.data(), expected.data()}, stream_);
      EXPECT_EQ(bits_of(found), bits_of(expected));
      replicators_->subtract({count, gradient.data(), found.data()}, stream_);
      for (Index at = 0; at < count; ++at) expected[size_of(at)] -= gradient[size_of(at)];
      EXPECT_EQ(bits_of(found), bits_of(expected));
    }
  }
}

template <class Number>
void expect_packed(ReplicatorKernels& kernels, const Positions& positions) {
  Stream stream;
  const auto count = static_cast<Index>(positions.size());
  std::vector<Number> packed(positions.size());
  Positions back(positions.size(), -7);
  constexpr int width = static_cast<int>(sizeof(Number));
  kernels.pack_positions({count, width, positions.data(), packed.data()}, stream);
  EXPECT_TRUE(std::equal(packed.begin(), packed.end(), positions.begin(),
                         [](Number number, std::int32_t position) {
                           return static_cast<std::int64_t>(number) == position;
                         }));
  kernels.unpack_positions({count, width, packed.data(), back.data()}, stream);
  EXPECT_EQ(back, positions);
}

TEST_P(Replicators, PositionsGoThereAndBackInEveryWidth) {
  expect_packed<std::uint16_t>(*replicators_, {0, 1, 32767, 32768, 65535});
  expect_packed<std::int32_t>(*replicators_, {0, 70000, 2147483647, 3});
  expect_packed<std::int64_t>(*replicators_, {5, 2147483647, 0});
}

std::vector<std::uint32_t> scores_of(const DrawPositions& a) {
  std::vector<std::uint32_t> scores(size_of(a.count));
  for (Index at = 0; at < a.count; ++at) {
    const auto element = static_cast<std::uint64_t>(a.first + at), group = element / 4;
    scores[size_of(at)] =
        philox(a.seed, {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(group >> 32),
                        static_cast<std::uint32_t>(a.draw),
                        static_cast<std::uint32_t>(a.draw >> 32)})[element % 4];
  }
  return scores;
}

Positions sorted_by(const std::vector<std::uint32_t>& scores) {
  Positions order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
    return scores[size_of(left)] < scores[size_of(right)];
  });
  return order;
}

// Every element's score by itself, sorted.
Positions drawn(const DrawPositions& a) {
  Positions order = sorted_by(scores_of(a));
  order.resize(size_of(a.chosen));
  std::sort(order.begin(), order.end());
  return order;
}

// With 5,000 elements more than one block of a GPU's; all of them, one, and none.
TEST_P(Replicators, DrawnAreTheSmallestScores) {
  for (const Index count : {Index{1}, Index{63}, Index{4096}, Index{13001}})
    for (const Index chosen : {Index{0}, Index{1}, count / 8, count - 1, count}) {
      DrawPositions draw{count, chosen, 7, 3, Index{5} << 32, nullptr};
      Positions found(size_of(chosen), -7);
      draw.positions = found.data();
      replicators_->draw_positions(draw, stream_);
      EXPECT_EQ(found, drawn(draw)) << chosen << " of " << count;
    }
}

// Of 150,000 scores of 32 bits some 2.6 pairs are alike: 150,000^2 / 2^33. One of such a pair is
// the last that is taken.
TEST_P(Replicators, OfEqualScoresTheFirstIsDrawn) {
  DrawPositions draw{150000, 0, 1, 1, 0, nullptr};
  const std::vector<std::uint32_t> scores = scores_of(draw);
  const Positions order = sorted_by(scores);
  const auto pair =
      std::adjacent_find(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
        return scores[size_of(left)] == scores[size_of(right)];
      });
  ASSERT_NE(pair, order.end());
  draw.chosen = pair - order.begin() + 1;
  Positions found(size_of(draw.chosen), -7);
  draw.positions = found.data();
  replicators_->draw_positions(draw, stream_);
  EXPECT_TRUE(std::binary_search(found.begin(), found.end(), *pair));
  EXPECT_FALSE(std::binary_search(found.begin(), found.end(), *(pair + 1)));
  EXPECT_EQ(found, drawn(draw));
}

TEST_P(Replicators, OtherDrawsAreOtherPositions) {
  Positions one(16), other(16);
  replicators_->draw_positions({1024, 16, 7, 3, 0, one.data()}, stream_);
  replicators_->draw_positions({1024, 16, 7, 4, 0, other.data()}, stream_);
  EXPECT_NE(one, other);
}

TEST_P(Replicators, StridesEndWhereTheElementsDo) {
  Positions found(4, -7);
  replicators_->stride_positions({10, 4, 2, 3, found.data()}, stream_);
  EXPECT_EQ(found, (Positions{2, 5, 8, no_position}));
}

// In bf16 1 + 2^-9 is rounded to 1: 2^-9 stays.
TEST_P(Replicators, WhatIsTakenIsTakenAwayAsItIsSent) {
  const Positions positions{1, no_position, 0};
  Floats values{3.0F, 1.0F + 0x1p-9F};
  std::vector<Bfloat16> taken = poisoned_bf16(3);
  replicators_->take_elements({3, positions.data(), values.data(), taken.data()}, stream_);
  EXPECT_EQ(widened(*kernels_, taken), (Floats{1.0F, 0.0F, 3.0F}));
  EXPECT_EQ(values, (Floats{0.0F, 0x1p-9F}));
}

TEST_P(Replicators, WhatWasSentIsPutWhereItWas) {
  const Positions positions{3, no_position, 1};
  const Floats given{8.0F, 5.0F, 2.0F};
  Floats values = poisoned(5);
  replicators_->put_elements({5, 3, positions.data(), given.data(), 0.25F, values.data()}, stream_);
  EXPECT_EQ(values, (Floats{0.0F, 0.5F, 0.0F, 2.0F, 0.0F}));
}

TEST_P(Replicators, AGradientIsTheMeanOrItsSign) {
  for (const Index count : counts) {
    Floats sums = random_floats(count, 3);
    sums[0] = 0.0F;
    const std::vector<Bfloat16> narrow_sums = narrow(*reference_, sums);
    for (const MergedAs as : {MergedAs::value, MergedAs::sign}) {
      Floats found = poisoned(count), expected;
      for (const float sum : sums) {
        const float mean = 0.3F * sum;
        const float sign = mean < 0.0F ? -1.0F : mean > 0.0F ? 1.0F : 0.0F;
        expected.push_back(as == MergedAs::value ? mean : sign);
      }
      replicators_->merged_gradient({count, sums.data(), 0.3F, as, found.data()}, stream_);
      EXPECT_EQ(found, expected);
      Floats of_narrow = poisoned(count), expected_of_narrow = poisoned(count);
      replicators_->merged_gradient({count, narrow_sums.data(), 0.3F, as, of_narrow.data()},
                                    stream_);
      reference().merged_gradient({count, narrow_sums.data(), 0.3F, as, expected_of_narrow.data()},
                                  stream_);
      EXPECT_EQ(bits_of(of_narrow), bits_of(expected_of_narrow));
    }
  }
}

// d = 0.5 * 4 = 2; velocity = 0.5 * 2 + 2 = 3; anchor = 1 - 0.25 (2 + 0.5 * 3) = 0.125.
TEST_P(Replicators, AnOuterStepIsNesterovs) {
  const Floats sum{4.0F};
  Floats velocity{2.0F}, anchor{1.0F}, parameter{9.0F};
  std::vector<Bfloat16> copy = poisoned_bf16(1);
  replicators_->outer_step({1, sum.data(), 0.5F, 0.25F, 0.5F, velocity.data(), anchor.data(),
                            parameter.data(), copy.data()},
                           stream_);
  EXPECT_EQ(velocity, Floats{3.0F});
  EXPECT_EQ(anchor, Floats{0.125F});
  EXPECT_EQ(parameter, Floats{0.125F});
  EXPECT_EQ(widened(*kernels_, copy), Floats{0.125F});
}

TEST_P(Replicators, OuterStepsHaveTheReferencesBits) {
  for (const Index count : counts) {
    const Floats parameter = random_floats(count, 4);
    std::vector<Bfloat16> sums = poisoned_bf16(count), copies = poisoned_bf16(count);
    std::vector<Bfloat16> expected_sums = sums, expected_copies = copies;
    Floats velocity = random_floats(count, 5), anchor = random_floats(count, 6), made = parameter;
    Floats velocities = velocity, anchors = anchor, expected = parameter;
    const auto run = [&](ReplicatorKernels& by, std::vector<Bfloat16>& sum, Floats& v, Floats& x,
                         Floats& p, std::vector<Bfloat16>& copy) {
      by.outer_difference({count, x.data(), p.data(), sum.data()}, stream_);
      by.outer_step(
          {count, sum.data(), 0.3F, 0.7F, 0.9F, v.data(), x.data(), p.data(), copy.data()},
          stream_);
    };
    run(*replicators_, sums, velocity, anchor, made, copies);
    run(reference(), expected_sums, velocities, anchors, expected, expected_copies);
    EXPECT_EQ(bits_of(velocity), bits_of(velocities));
    EXPECT_EQ(bits_of(anchor), bits_of(anchors));
    EXPECT_EQ(bits_of(made), bits_of(expected));
    EXPECT_EQ(widened(*reference_, copies), widened(*reference_, expected_copies));
  }
}

}  // namespace
}  // namespace quintet::kernels
