// Attention in bf16, on tensor cores where they take it: against fp32, and by whole bits where
// nothing may change a sum.
#include "tests/kernels/attention_world.h"

namespace quintet::kernels {
namespace {

using namespace attention_world;

class NarrowAttention : public Operators {};
QUINTET_ON_EVERY_IMPLEMENTATION(NarrowAttention);

// Memory in bf16.
struct NarrowMemory {
  std::vector<Bfloat16> query, key, value, upstream;
  std::vector<Bfloat16> output, query_gradient, key_gradient, value_gradient;
  Floats log_sum_exp;
};

// m's inputs become what bf16 keeps of them.
NarrowMemory narrowed(Kernels& kernels, const Case& c, Memory& m) {
  const auto narrow_input = [&](Floats& values) {
    std::vector<Bfloat16> made = narrow(kernels, values);
    values = widened(kernels, made);
    return made;
  };
  return {narrow_input(m.query),
          narrow_input(m.key),
          narrow_input(m.value),
          narrow_input(m.upstream),
          poisoned_bf16(c.query_size()),
          poisoned_bf16(c.query_size()),
          poisoned_bf16(c.key_size()),
          poisoned_bf16(c.key_size()),
          poisoned(c.queries() * c.query_heads)};
}

void expect_close(Kernels& kernels, const NarrowMemory& found, const Memory& expected) {
  EXPECT_LT(relative_error(widened(kernels, found.output), expected.output), bf16_tolerance);
  EXPECT_LT(relative_error(found.log_sum_exp, expected.log_sum_exp), bf16_tolerance);
  EXPECT_LT(relative_error(widened(kernels, found.query_gradient), expected.query_gradient),
            bf16_tolerance);
  EXPECT_LT(relative_error(widened(kernels, found.key_gradient), expected.key_gradient),
            bf16_tolerance);
  EXPECT_LT(relative_error(widened(kernels, found.value_gradient), expected.value_gradient),
            bf16_tolerance);
}

// Head sizes that tensor cores take, whole and filled up; lengths around their tiles of 32, 64 and
// 128; a head of 4, which they do not take.
const std::vector<Case>& narrow_cases() {
  static const std::vector<Case> list{
      {"one token", AttentionMask::none, 1, 1, 64, {0, 1}, {0, 1}},
      {"head of 4", AttentionMask::causal, 2, 1, 4, {0, 9}, {0, 9}},
      {"head of 16, groups", AttentionMask::causal, 4, 2, 16, {0, 70}, {0, 70}},
      {"head of 64, around tiles", AttentionMask::causal, 2, 1, 64, {0, 129}, {0, 129}},
      {"head of 64, bidirectional", AttentionMask::none, 1, 1, 64, {0, 33, 160}, {0, 65, 96}},
      {"head of 80, packed",
       AttentionMask::causal,
       1,
       1,
       80,
       {0, 3, 3, 67, 131},
       {0, 3, 3, 67, 131}},
      {"head of 96, bidirectional", AttentionMask::none, 2, 1, 96, {0, 63, 95}, {0, 63, 95}},
      {"head of 128", AttentionMask::causal, 2, 1, 128, {0, 65}, {0, 130}},
      {"head of 128, bidirectional", AttentionMask::none, 1, 1, 128, {0, 31, 96}, {0, 31, 96}},
      {"keys before the queries", AttentionMask::causal, 1, 1, 64, {0, 40}, {0, 150}},
      {"window", AttentionMask::causal, 1, 1, 64, {0, 150}, {0, 150}, 50},
      {"window, keys before", AttentionMask::causal, 2, 1, 128, {0, 30, 75}, {0, 90, 135}, 7},
      {"dropout", AttentionMask::causal, 1, 1, 64, {0, 40}, {0, 40}, 0, 0.25F},
  };
  return list;
}

TEST_P(NarrowAttention, IsCloseToFp32) {
  for (const Case& c : narrow_cases()) {
    SCOPED_TRACE(c.name);
    Memory expected(c);
    NarrowMemory found = narrowed(*kernels_, c, expected);
    run(*kernels_, shape_of(c), expected);
    run(*kernels_, shape_of(c), found);
    if (c.queries() == 1) {  // a lone token's scores have no gradient
      EXPECT_EQ(widened(*kernels_, found.query_gradient), Floats(64, 0.0F));
      EXPECT_EQ(widened(*kernels_, found.key_gradient), Floats(64, 0.0F));
      found.query_gradient = narrow(*kernels_, expected.query_gradient);
      found.key_gradient = narrow(*kernels_, expected.key_gradient);
    }
    expect_close(*kernels_, found, expected);
  }
}

// Whole bits: no other sequence and no other place in a tile changes a sum.
TEST_P(NarrowAttention, PackedSequencesAreTheSequencesAlone) {
  const Case packed{"", AttentionMask::causal, 2, 1, 64, {0, 50, 50, 115}, {0, 50, 50, 115}};
  Memory whole(packed);
  NarrowMemory together = narrowed(*kernels_, packed, whole);
  run(*kernels_, shape_of(packed), together);
  for (const auto& [first, rows] : {std::pair<std::int32_t, std::int32_t>{0, 50}, {50, 65}}) {
    const Case single{"", AttentionMask::causal, 2, 1, 64, {0, rows}, {0, rows}};
    Memory part(single);
    for (auto input : {&Memory::query, &Memory::upstream})
      part.*input = part_of(whole.*input, first * Index{128}, rows * Index{128});
    for (auto input : {&Memory::key, &Memory::value})
      part.*input = part_of(whole.*input, first * Index{64}, rows * Index{64});
    NarrowMemory alone = narrowed(*kernels_, single, part);
    run(*kernels_, shape_of(single), alone);
    const auto expect_part = [&](std::vector<Bfloat16> NarrowMemory::*result, Index row) {
      EXPECT_EQ(bits_of(widened(*kernels_, alone.*result)),
                bits_of(part_of(widened(*kernels_, together.*result), first * row, rows * row)));
    };
    expect_part(&NarrowMemory::output, 128);
    expect_part(&NarrowMemory::query_gradient, 128);
    expect_part(&NarrowMemory::key_gradient, 64);
    expect_part(&NarrowMemory::value_gradient, 64);
  }
}

// Rows of [query | key | value], 3 heads of 64 for each token, and of their gradients.
TEST_P(NarrowAttention, ReadsQueryKeyValueOutOfOneMatrix) {
  const Case c{"", AttentionMask::causal, 1, 1, 64, {0, 40}, {0, 40}};
  Memory wide_memory(c);
  NarrowMemory apart = narrowed(*kernels_, c, wide_memory);
  run(*kernels_, shape_of(c), apart);
  const Index size = 64;
  auto fused = poisoned_bf16(40 * 3 * size), gradient = fused;
  auto output = poisoned_bf16(40 * size);
  for (Index row = 0; row < 40; ++row)
    for (Index i = 0; i < size; ++i) {
      fused[size_of(row * 3 * size + i)] = apart.query[size_of(row * size + i)];
      fused[size_of(row * 3 * size + size + i)] = apart.key[size_of(row * size + i)];
      fused[size_of(row * 3 * size + 2 * size + i)] = apart.value[size_of(row * size + i)];
    }
  AttentionLayout shape = shape_of(c);
  shape.query_stride = shape.key_stride = shape.value_stride = 3 * size;
  Floats log_sum_exp = poisoned(40), workspace = poisoned(attention_backward_workspace(shape));
  const Bfloat16* const qkv = fused.data();
  Bfloat16* const dqkv = gradient.data();
  kernels_->attention_forward(
      {shape, qkv, qkv + size, qkv + 2 * size, output.data(), log_sum_exp.data()}, stream_);
  kernels_->attention_backward(
      {shape, qkv, qkv + size, qkv + 2 * size, output.data(), apart.upstream.data(),
       log_sum_exp.data(), dqkv, dqkv + size, dqkv + 2 * size, workspace.data()},
      stream_);
  const Floats found = widened(*kernels_, gradient);
  EXPECT_EQ(bits_of(widened(*kernels_, output)), bits_of(widened(*kernels_, apart.output)));
  const auto expect_column = [&](Index column, const std::vector<Bfloat16>& expected) {
    for (Index row = 0; row < 40; ++row)
      EXPECT_EQ(part_of(found, row * 3 * size + column, size),
                part_of(widened(*kernels_, expected), row * size, size));
  };
  expect_column(0, apart.query_gradient);
  expect_column(size, apart.key_gradient);
  expect_column(2 * size, apart.value_gradient);
}

// 40 queries but 3 keys: the last three queries see 1, 2 and 3 keys, the ones before none. A second
// sequence has queries only, a third one keys only.
TEST_P(NarrowAttention, QueriesWithoutKeysGiveZero) {
  const Case c{"", AttentionMask::causal, 1, 1, 64, {0, 40, 45, 45}, {0, 3, 3, 10}};
  Memory expected(c);
  NarrowMemory found = narrowed(*kernels_, c, expected);
  run(*kernels_, shape_of(c), expected);
  run(*kernels_, shape_of(c), found);
  const Floats output = widened(*kernels_, found.output);
  const Floats gradient = widened(*kernels_, found.query_gradient);
  for (const auto& [first, rows] : {std::pair<Index, Index>{0, 37}, {40, 5}}) {
    EXPECT_EQ(part_of(output, first * 64, rows * 64), Floats(size_of(rows * 64), 0.0F));
    EXPECT_EQ(part_of(gradient, first * 64, rows * 64), Floats(size_of(rows * 64), 0.0F));
    EXPECT_EQ(part_of(found.log_sum_exp, first, rows),
              Floats(size_of(rows), -std::numeric_limits<float>::infinity()));
  }
  EXPECT_EQ(part_of(widened(*kernels_, found.key_gradient), 3 * 64, 7 * 64), Floats(7 * 64, 0.0F));
  EXPECT_EQ(part_of(widened(*kernels_, found.value_gradient), 3 * 64, 7 * 64),
            Floats(7 * 64, 0.0F));
  found.log_sum_exp = part_of(found.log_sum_exp, 37, 3);
  expected.log_sum_exp = part_of(expected.log_sum_exp, 37, 3);
  expect_close(*kernels_, found, expected);
}

}  // namespace
}  // namespace quintet::kernels
