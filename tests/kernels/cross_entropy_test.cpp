#include <algorithm>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

class CrossEntropies : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(CrossEntropies);

constexpr Index rows = 4;
constexpr Index vocabulary = 101;
constexpr float gradient_scale = 0.25F;
const std::vector<std::int32_t> targets{0, 100, -100, 37};

double naive_loss(const Doubles& logits, Index row) {
  if (targets[size_of(row)] < 0) return 0.0;
  double sum = 0.0;
  for (Index v = 0; v < vocabulary; ++v) sum += std::exp(logits[size_of(row * vocabulary + v)]);
  return std::log(sum) - logits[size_of(row * vocabulary + targets[size_of(row)])];
}

double naive_total(const Doubles& logits) {
  double sum = 0.0;
  for (Index row = 0; row < rows; ++row) sum += naive_loss(logits, row);
  return sum * static_cast<double>(gradient_scale);
}

struct Whole {
  Floats logits = random_floats(rows * vocabulary, 1, 4.0F);
  Floats loss = poisoned(rows);
};

Whole whole(Kernels& kernels) {
  Stream stream;
  Whole made;
  kernels.cross_entropy({{rows, vocabulary, 0, 0, targets.data(), made.logits.data()},
                         gradient_scale,
                         made.loss.data()},
                        stream);
  return made;
}

TEST_P(CrossEntropies, LossIsLogSumMinusTarget) {
  const Doubles logits = wide(Whole().logits);
  const Whole found = whole(*kernels_);
  Doubles expected;
  for (Index row = 0; row < rows; ++row) expected.push_back(naive_loss(logits, row));
  EXPECT_LT(relative_error(found.loss, expected), fp32_tolerance);
  EXPECT_EQ(found.loss[2], 0.0F);
}

TEST_P(CrossEntropies, LogitsBecomeTheGradient) {
  const auto expected = numeric_gradient(naive_total, wide(Whole().logits));
  EXPECT_LT(relative_error(whole(*kernels_).logits, expected), gradient_tolerance);
}

TEST_P(CrossEntropies, PaddingBehindTheVocabularyIsLeftAlone) {
  const Index stride = vocabulary + 5;
  const Floats logits = Whole().logits;
  Floats padded = poisoned(rows * stride), loss = poisoned(rows);
  for (Index row = 0; row < rows; ++row)
    std::copy_n(logits.begin() + row * vocabulary, vocabulary, padded.begin() + row * stride);
  kernels_->cross_entropy(
      {{rows, vocabulary, stride, 0, targets.data(), padded.data()}, gradient_scale, loss.data()},
      stream_);
  const Whole expected = whole(*kernels_);
  EXPECT_EQ(bits_of(loss), bits_of(expected.loss));
  for (Index row = 0; row < rows; ++row) {
    EXPECT_EQ(part_of(padded, row * stride, vocabulary),
              part_of(expected.logits, row * vocabulary, vocabulary));
    EXPECT_TRUE(std::isnan(padded[size_of(row * stride + vocabulary)]));
  }
}

// One shard of the vocabulary with what its rank knows of each row.
struct Shard {
  CrossEntropyRows rows_here;
  Floats logits;
  Floats maximum = poisoned(rows);
  Doubles sum = Doubles(size_of(rows), std::numeric_limits<double>::quiet_NaN());
  Floats target_logit = poisoned(rows);
  Floats loss = poisoned(rows);
};

Shard shard(const Floats& logits, Index first, Index size) {
  Shard made;
  for (Index row = 0; row < rows; ++row)
    for (Index v = first; v < first + size; ++v)
      made.logits.push_back(logits[size_of(row * vocabulary + v)]);
  made.rows_here = {rows, size, 0, static_cast<std::int32_t>(first), targets.data(), {}};
  return made;
}

// What a communicator does between the stages: reduce over the ranks and hand the result to all.
template <class Value, class Reduce>
void all_reduce(std::vector<Shard>& shards, std::vector<Value> Shard::*part, Reduce reduce) {
  std::vector<Value> total = shards.front().*part;
  for (std::size_t s = 1; s < shards.size(); ++s)
    for (std::size_t row = 0; row < total.size(); ++row)
      total[row] = reduce(total[row], (shards[s].*part)[row]);
  for (Shard& one : shards) one.*part = total;
}

void run_stages(Kernels& kernels, std::vector<Shard>& shards) {
  Stream stream;
  for (Shard& s : shards) {
    s.rows_here.logits = s.logits.data();
    kernels.cross_entropy_maximum({s.rows_here, s.maximum.data()}, stream);
  }
  all_reduce(shards, &Shard::maximum, [](float a, float b) { return std::max(a, b); });
  for (Shard& s : shards)
    kernels.cross_entropy_sum({s.rows_here, s.maximum.data(), s.sum.data(), s.target_logit.data()},
                              stream);
  all_reduce(shards, &Shard::sum, std::plus<>());
  all_reduce(shards, &Shard::target_logit, std::plus<>());
  for (Shard& s : shards)
    kernels.cross_entropy_gradient({s.rows_here, s.maximum.data(), s.sum.data(),
                                    s.target_logit.data(), gradient_scale, s.loss.data()},
                                   stream);
}

// Uneven shards, none a multiple of 16: every reduction between the stages is exact.
TEST_P(CrossEntropies, ShardsOfTheVocabularyGiveTheBitsOfTheWhole) {
  const Whole expected = whole(*kernels_);
  const Floats logits = Whole().logits;
  std::vector<Shard> shards{shard(logits, 0, 37), shard(logits, 37, 1), shard(logits, 38, 63)};
  run_stages(*kernels_, shards);
  for (const Shard& s : shards) {
    EXPECT_EQ(bits_of(s.loss), bits_of(expected.loss));
    for (Index row = 0; row < rows; ++row)
      EXPECT_EQ(bits_of(part_of(s.logits, row * s.rows_here.shard_size, s.rows_here.shard_size)),
                bits_of(part_of(expected.logits, row * vocabulary + s.rows_here.shard_first,
                                s.rows_here.shard_size)));
  }
}

// 104,000 bytes: more than a block of a GPU keeps of a row.
TEST_P(CrossEntropies, LongRowsGiveTheBitsOfTheirStages) {
  constexpr Index size = 26'000;
  const std::vector<std::int32_t> target{25'999};
  Floats whole_logits = random_floats(size, 3, 4.0F), logits = whole_logits;
  Floats whole_loss = poisoned(1), loss = poisoned(1);
  kernels_->cross_entropy(
      {{1, size, 0, 0, target.data(), whole_logits.data()}, gradient_scale, whole_loss.data()},
      stream_);
  const CrossEntropyRows row{1, size, 0, 0, target.data(), logits.data()};
  Floats maximum = poisoned(1), target_logit = poisoned(1);
  Doubles sum(1);
  kernels_->cross_entropy_maximum({row, maximum.data()}, stream_);
  kernels_->cross_entropy_sum({row, maximum.data(), sum.data(), target_logit.data()}, stream_);
  kernels_->cross_entropy_gradient(
      {row, maximum.data(), sum.data(), target_logit.data(), gradient_scale, loss.data()}, stream_);
  EXPECT_EQ(bits_of(whole_loss), bits_of(loss));
  EXPECT_EQ(bits_of(whole_logits), bits_of(logits));
}

// Without the maximum taken off first, exp(1000) is infinite. log(2) + 1000 - 1000 = log(2).
TEST_P(CrossEntropies, HugeLogitsAreFine) {
  Floats logits{1000.0F, 1000.0F, -1000.0F};
  const std::vector<std::int32_t> target{1};
  Floats loss = poisoned(1);
  kernels_->cross_entropy({{1, 3, 0, 0, target.data(), logits.data()}, 1.0F, loss.data()}, stream_);
  EXPECT_FLOAT_EQ(loss[0], std::log(2.0F));
  EXPECT_EQ(logits, (Floats{0.5F, -0.5F, 0.0F}));
}

TEST_P(CrossEntropies, NotANumberIsNotHidden) {
  Floats logits{1.0F, std::numeric_limits<float>::quiet_NaN(), 2.0F};
  const std::vector<std::int32_t> target{0};
  Floats loss{0.0F};
  kernels_->cross_entropy({{1, 3, 0, 0, target.data(), logits.data()}, 1.0F, loss.data()}, stream_);
  EXPECT_TRUE(std::isnan(loss[0]));
}

TEST_P(CrossEntropies, Bf16IsCloseToFp32) {
  const Whole expected = whole(*kernels_);
  auto logits = narrow(*kernels_, Whole().logits);
  Floats loss = poisoned(rows);
  kernels_->cross_entropy(
      {{rows, vocabulary, 0, 0, targets.data(), logits.data()}, gradient_scale, loss.data()},
      stream_);
  EXPECT_LT(relative_error(loss, expected.loss), bf16_tolerance);
  EXPECT_LT(relative_error(widened(*kernels_, logits), expected.logits), bf16_tolerance);
}

}  // namespace
}  // namespace quintet::kernels
