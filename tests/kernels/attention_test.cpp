// Attention against softmax(q k^T scale) v in double, for masks, groups and packed sequences.
#include <algorithm>

#include "kernels/philox.h"
#include "tests/kernels/attention_world.h"

namespace quintet::kernels {
namespace {

using namespace attention_world;

class Attention : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(Attention);

// 0 or 1 / (1 - probability), by the formula of kernels/attention.h.
double kept(const Case& c, Index row, Index head, Index key) {
  if (c.dropout == 0.0F) return 1.0;
  const Index element = ((first_row + row) * c.query_heads + head) * whole_keys + key;
  const PhiloxWords words = philox(seed, {static_cast<std::uint32_t>(element / 4), 0, draw, 0});
  const double p = static_cast<double>(c.dropout);
  return words[size_of(element % 4)] >= p * 0x1p32 - 1.0 ? 1.0 / (1.0 - p) : 0.0;
}

// Lengths around the tiles of 64, an empty sequence, more keys than queries (a cache before them).
const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"one token", AttentionMask::causal, 1, 1, 4, {0, 1}, {0, 1}},
      {"causal, packed", AttentionMask::causal, 2, 2, 5, {0, 3, 3, 10}, {0, 3, 3, 10}},
      {"bidirectional, packed", AttentionMask::none, 2, 2, 20, {0, 4, 9}, {0, 4, 9}},
      {"groups", AttentionMask::causal, 4, 2, 8, {0, 7}, {0, 7}},
      {"one key head", AttentionMask::none, 3, 1, 6, {0, 5}, {0, 5}},
      {"keys before the queries", AttentionMask::causal, 1, 1, 4, {0, 3}, {0, 8}},
      {"over a tile", AttentionMask::causal, 2, 1, 4, {0, 70}, {0, 70}},
      {"over two tiles", AttentionMask::none, 1, 1, 4, {0, 66}, {0, 131}},
      {"window", AttentionMask::causal, 2, 1, 4, {0, 9, 20}, {0, 9, 20}, 3},
      {"window over tiles", AttentionMask::causal, 1, 1, 4, {0, 150}, {0, 150}, 20},
      {"dropout", AttentionMask::none, 2, 2, 8, {0, 12, 20}, {0, 12, 20}, 0, 0.25F},
      {"all", AttentionMask::causal, 4, 2, 4, {0, 3, 140}, {0, 3, 140}, 70, 0.5F},
  };
  return list;
}

struct NaiveRow {
  Doubles output;
  double log_sum_exp;
};

NaiveRow naive_row(const Case& c, Index sequence, Index head, Index query, const Doubles& q,
                   const Doubles& k, const Doubles& v) {
  const std::size_t s = size_of(sequence);
  const Index queries = c.query_starts[s + 1] - c.query_starts[s];
  const Index keys = c.key_starts[s + 1] - c.key_starts[s];
  const Index seen = c.mask == AttentionMask::causal ? query + 1 + keys - queries : keys;
  const Index key_head = head / (c.query_heads / c.key_heads);
  const auto at_query = [&](Index d) {
    return size_of(((c.query_starts[s] + query) * c.query_heads + head) * c.head_size + d);
  };
  const auto at_key = [&](Index key, Index d) {
    return size_of(((c.key_starts[s] + key) * c.key_heads + key_head) * c.head_size + d);
  };
  const Index unseen = c.window > 0 ? std::max<Index>(seen - c.window, 0) : 0;
  Doubles power(size_of(unseen));
  double sum = 0.0;
  for (Index key = unseen; key < seen; ++key) {
    double score = 0.0;
    for (Index d = 0; d < c.head_size; ++d) score += q[at_query(d)] * k[at_key(key, d)];
    power.push_back(std::exp(score / std::sqrt(static_cast<double>(c.head_size))));
    sum += power.back();
  }
  Doubles output(size_of(c.head_size));
  for (Index key = 0; key < seen; ++key)
    for (Index d = 0; d < c.head_size; ++d)
      output[size_of(d)] += power[size_of(key)] / sum *
                            kept(c, c.query_starts[s] + query, head, key) * v[at_key(key, d)];
  return {output, std::log(sum)};
}

struct Naive {
  Doubles output, log_sum_exp;
};

Naive naive(const Case& c, const Doubles& q, const Doubles& k, const Doubles& v) {
  Naive made{Doubles(size_of(c.query_size())), Doubles(size_of(c.queries() * c.query_heads))};
  for (Index s = 0; s < c.sequences(); ++s)
    for (Index query = c.query_starts[size_of(s)]; query < c.query_starts[size_of(s) + 1]; ++query)
      for (Index head = 0; head < c.query_heads; ++head) {
        const NaiveRow row = naive_row(c, s, head, query - c.query_starts[size_of(s)], q, k, v);
        const Index to = (query * c.query_heads + head) * c.head_size;
        std::copy(row.output.begin(), row.output.end(), made.output.begin() + to);
        made.log_sum_exp[size_of(head * c.queries() + query)] = row.log_sum_exp;
      }
  return made;
}

TEST_P(Attention, IsSoftmaxOfScoresTimesValues) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Memory m(c);
    run(*kernels_, shape_of(c), m);
    const Naive expected = naive(c, wide(m.query), wide(m.key), wide(m.value));
    EXPECT_LT(relative_error(m.output, expected.output), fp32_tolerance);
    EXPECT_LT(relative_error(m.log_sum_exp, expected.log_sum_exp), fp32_tolerance);
  }
}

TEST_P(Attention, GradientsAreDifferences) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Memory m(c);
    run(*kernels_, shape_of(c), m);
    const Doubles q = wide(m.query), k = wide(m.key), v = wide(m.value), up = wide(m.upstream);
    const auto loss = [&](const Doubles& qs, const Doubles& ks, const Doubles& vs) {
      return dot(naive(c, qs, ks, vs).output, up);
    };
    const auto by_q = sampled_gradient([&](const Doubles& x) { return loss(x, k, v); }, q);
    const auto by_k = sampled_gradient([&](const Doubles& x) { return loss(q, x, v); }, k);
    const auto by_v = sampled_gradient([&](const Doubles& x) { return loss(q, k, x); }, v);
    // A lone token attends to itself whatever q and k are: its gradients are 0.
    const double bound = gradient_tolerance * (c.queries() == 1 ? 0.1 : 1.0);
    EXPECT_LT(relative_error(sample(m.query_gradient), by_q), bound);
    EXPECT_LT(relative_error(sample(m.key_gradient), by_k), bound);
    EXPECT_LT(relative_error(sample(m.value_gradient), by_v), gradient_tolerance);
  }
}

TEST_P(Attention, PackedSequencesAreTheSequencesAlone) {
  const Case packed{"", AttentionMask::causal, 2, 2, 24, {0, 65, 65, 100}, {0, 65, 65, 100}};
  Memory together(packed);
  run(*kernels_, shape_of(packed), together);
  for (const auto& [first, rows] : {std::pair<std::int32_t, std::int32_t>{0, 65}, {65, 35}}) {
    const Case single{"", AttentionMask::causal, 2, 2, 24, {0, rows}, {0, rows}};
    const Index row = single.query_heads * single.head_size;
    Memory alone(single);
    for (auto part : {&Memory::query, &Memory::key, &Memory::value, &Memory::upstream})
      alone.*part = part_of(together.*part, first * row, rows * row);
    run(*kernels_, shape_of(single), alone);
    for (auto part :
         {&Memory::output, &Memory::query_gradient, &Memory::key_gradient, &Memory::value_gradient})
      EXPECT_EQ(bits_of(alone.*part), bits_of(part_of(together.*part, first * row, rows * row)));
  }
}

// Heads 2 and 3 with their key head 1, read in place from the matrices of all heads.
TEST_P(Attention, HeadsSplitBetweenRanksGiveTheSameBits) {
  const Case whole_case{"", AttentionMask::causal, 4, 2, 12, {0, 80}, {0, 80}, 50, 0.3F};
  const Case half_case{"", AttentionMask::causal, 2, 1, 12, {0, 80}, {0, 80}, 50, 0.3F};
  Memory whole(whole_case), half(half_case);
  AttentionLayout half_shape = shape_of(half_case);
  half_shape.dropout.whole_heads = 4;
  half_shape.dropout.first_head = 2;
  run(*kernels_, shape_of(whole_case), whole);
  const auto right_half = [](const Floats& all, Index row) {
    Floats part;
    for (Index r = 0; r < 80; ++r)
      for (Index c = row / 2; c < row; ++c) part.push_back(all[size_of(r * row + c)]);
    return part;
  };
  half.query = right_half(whole.query, 48);
  half.upstream = right_half(whole.upstream, 48);
  half.key = right_half(whole.key, 24);
  half.value = right_half(whole.value, 24);
  run(*kernels_, half_shape, half);
  EXPECT_EQ(bits_of(half.output), bits_of(right_half(whole.output, 48)));
  EXPECT_EQ(bits_of(half.query_gradient), bits_of(right_half(whole.query_gradient, 48)));
  EXPECT_EQ(bits_of(half.key_gradient), bits_of(right_half(whole.key_gradient, 24)));
  EXPECT_EQ(bits_of(half.value_gradient), bits_of(right_half(whole.value_gradient, 24)));
}

// The last queries of a sequence alone, with all its keys: as a context-parallel rank has them.
TEST_P(Attention, QueriesSplitBetweenRanksGiveTheSameOutput) {
  const Case whole_case{"", AttentionMask::causal, 1, 1, 16, {0, 150}, {0, 150}, 30, 0.2F};
  const Case tail_case{"", AttentionMask::causal, 1, 1, 16, {0, 41}, {0, 150}, 30, 0.2F};
  Memory whole(whole_case), tail(tail_case);
  AttentionLayout tail_shape = shape_of(tail_case);
  tail_shape.dropout.first_row += 109;
  tail.query = part_of(whole.query, 109 * 16, 41 * 16);
  run(*kernels_, shape_of(whole_case), whole);
  run(*kernels_, tail_shape, tail);
  EXPECT_EQ(bits_of(tail.output), bits_of(part_of(whole.output, 109 * 16, 41 * 16)));
}

TEST_P(Attention, ReadsQueryKeyValueOutOfOneMatrix) {
  const Case c{"", AttentionMask::causal, 2, 2, 9, {0, 12}, {0, 12}};
  Memory apart(c);
  run(*kernels_, shape_of(c), apart);
  const Index width = 18;
  Floats fused = poisoned(12 * 3 * width), gradient = fused;
  for (Index r = 0; r < 12; ++r)
    for (Index i = 0; i < width; ++i) {
      fused[size_of(r * 3 * width + i)] = apart.query[size_of(r * width + i)];
      fused[size_of(r * 3 * width + width + i)] = apart.key[size_of(r * width + i)];
      fused[size_of(r * 3 * width + 2 * width + i)] = apart.value[size_of(r * width + i)];
    }
  AttentionLayout shape = shape_of(c);
  shape.query_stride = shape.key_stride = shape.value_stride = 3 * width;
  Floats output = poisoned(12 * width), log_sum_exp = poisoned(24);
  Floats workspace = poisoned(attention_backward_workspace(shape));
  const float* const qkv = fused.data();
  float* const dqkv = gradient.data();
  kernels_->attention_forward(
      {shape, qkv, qkv + width, qkv + 2 * width, output.data(), log_sum_exp.data()}, stream_);
  kernels_->attention_backward(
      {shape, qkv, qkv + width, qkv + 2 * width, output.data(), apart.upstream.data(),
       log_sum_exp.data(), dqkv, dqkv + width, dqkv + 2 * width, workspace.data()},
      stream_);
  EXPECT_EQ(bits_of(output), bits_of(apart.output));
  for (Index r = 0; r < 12; ++r) {
    EXPECT_EQ(part_of(gradient, r * 3 * width, width),
              part_of(apart.query_gradient, r * width, width));
    EXPECT_EQ(part_of(gradient, r * 3 * width + width, width),
              part_of(apart.key_gradient, r * width, width));
    EXPECT_EQ(part_of(gradient, r * 3 * width + 2 * width, width),
              part_of(apart.value_gradient, r * width, width));
  }
}

// Two queries but one key: the first sees none.
TEST_P(Attention, AQueryWithoutKeysGivesZero) {
  const Case c{"", AttentionMask::causal, 1, 1, 3, {0, 2}, {0, 1}};
  Memory m(c);
  run(*kernels_, shape_of(c), m);
  EXPECT_EQ(part_of(m.output, 0, 3), Floats(3, 0.0F));
  EXPECT_EQ(part_of(m.output, 3, 3), m.value);
  EXPECT_EQ(part_of(m.query_gradient, 0, 3), Floats(3, 0.0F));
  EXPECT_EQ(m.value_gradient, part_of(m.upstream, 3, 3));
}

// Scores of +-1e4 overflow exp without the running maximum.
TEST_P(Attention, HugeScoresStayFinite) {
  const Case c{"", AttentionMask::none, 1, 1, 2, {0, 70}, {0, 70}};
  Memory m(c);
  for (float& value : m.query) value *= 1e4F;
  run(*kernels_, shape_of(c), m);
  for (const float value : m.output) EXPECT_TRUE(std::isfinite(value));
  for (const float value : m.query_gradient) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace quintet::kernels
