#include "engine/operators/sample_dealing.h"

#include <gtest/gtest.h>

#include <cstring>

namespace quintet::engine {
namespace {

// A batch of documents of these lengths, whose tokens count on from `first`.
Batch documents(const std::vector<int>& lengths, TokenId first) {
  Batch batch{.sequences = static_cast<int>(lengths.size()), .length = 8};
  for (const int length : lengths) {
    batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
    for (int place = 0; place < length; ++place) {
      batch.tokens.push_back(first++);
      batch.targets.push_back(place + 1 < length ? first : no_target);
      batch.positions.push_back(place);
    }
  }
  batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  return batch;
}

Model model_of(int vocabulary) {
  Model model;
  model.vocabulary = vocabulary;
  return model;
}

// Two ranks pack, an all-gather puts their parts together, both deal.
std::vector<Batch> dealt(const std::vector<Batch>& first, const std::vector<Batch>& second,
                         int position, int vocabulary) {
  const SampleFormat format = sample_format(model_of(vocabulary), 8);
  SampleDealing one({format, 0, 2}), other({format, 1, 2});
  const std::span<std::byte> left = one.pack(first).bytes(), right = other.pack(second).bytes();
  std::memcpy(left.data() + left.size() / 2, right.data() + right.size() / 2, right.size() / 2);
  std::memcpy(right.data(), left.data(), left.size() / 2);
  return position == 0 ? one.deal() : other.deal();
}

// Lengths 3 8 | 2 5: sorted 8 5 3 2, snaked: the first rank has 8 and 2, the second 5 and 3. All
// that a sample is goes with it, in numbers of two bytes and of four.
TEST(SampleDealing, GivesEachRankItsOwnByLength) {
  for (const int vocabulary : {100, 100000}) {
    const std::vector<Batch> first{documents({3, 8}, 10)}, second{documents({2, 5}, 50)};
    Batch long_and_short = documents({8}, 13);
    const Batch two = documents({2}, 50);
    const auto join = [](Batch left, const Batch& right) {
      const auto offset = static_cast<std::int32_t>(left.tokens.size());
      left.sequences += right.sequences;
      left.starts.pop_back();
      for (const std::int32_t start : right.starts) left.starts.push_back(offset + start);
      left.tokens.insert(left.tokens.end(), right.tokens.begin(), right.tokens.end());
      left.targets.insert(left.targets.end(), right.targets.begin(), right.targets.end());
      left.positions.insert(left.positions.end(), right.positions.begin(), right.positions.end());
      return left;
    };
    EXPECT_EQ(dealt(first, second, 0, vocabulary), (std::vector<Batch>{join(long_and_short, two)}));
    EXPECT_EQ(dealt(first, second, 1, vocabulary),
              (std::vector<Batch>{join(documents({5}, 52), documents({3}, 10))}));
  }
}

// BERT: (4 x 16 x 512 + 16) x 2 B = 65.6 KB of a rank (arXiv 2402.02447); with a larger vocabulary
// twice that.
TEST(SampleDealing, SendsWhatThePaperSends) {
  Model bert = model_of(30522);
  bert.token_types = 2;
  const SampleFormat format = sample_format(bert, 512);
  EXPECT_EQ(16 * static_cast<double>(format.numbers_of_a_sample()) * size_of(format.type),
            Bytes{(4.0 * 16 * 512 + 16) * 2});
  EXPECT_EQ(size_of(sample_format(model_of(70000), 512).type), Bytes{4});
}

}  // namespace
}  // namespace quintet::engine
