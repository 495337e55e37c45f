#include <set>
#include <string>

#include <gtest/gtest.h>

#include "sim/plan/plan.h"

namespace quintet {
namespace {

Parallelism three_axes() {
  Parallelism parallelism;
  parallelism.tensor = 8;
  parallelism.data = 32;
  parallelism.pipeline = 4;
  parallelism.micro_batch = 2;
  parallelism.micro_batches = 16;
  return parallelism;
}

// 8 x 32 x 4 ranks; 2 x 16 sequences on each of 32 replicas.
TEST(Parallelism, CountsRanksAndSequences) {
  EXPECT_EQ(1024, world_size(three_axes()));
  EXPECT_EQ(1024, global_batch(three_axes()));
  EXPECT_EQ(32, degree(three_axes(), Axis::data));
  EXPECT_EQ(1, degree(three_axes(), Axis::context));
}

TEST(IntraInter, IsFlatOnAxesThatAreNotListed) {
  const IntraInter intra_inter{.decompositions = {{Axis::data, Decomposition::hierarchical}}};
  EXPECT_EQ(Decomposition::hierarchical, decomposition_of(intra_inter, Axis::data));
  EXPECT_EQ(Decomposition::flat, decomposition_of(intra_inter, Axis::tensor));
}

template <class Enum>
void expect_words_differ(Enum last) {
  std::set<std::string_view> words;
  for (int value = 0; value <= static_cast<int>(last); ++value)
    EXPECT_FALSE(name_of(static_cast<Enum>(value)).empty());
  for (int value = 0; value <= static_cast<int>(last); ++value)
    words.insert(name_of(static_cast<Enum>(value)));
  EXPECT_EQ(static_cast<std::size_t>(last) + 1, words.size());
}

TEST(Words, DifferWithinEachSet) {
  expect_words_differ(Axis::pipeline);
  expect_words_differ(Sharding::parameters);
  expect_words_differ(PipelineSchedule::adapted);
  expect_words_differ(Recompute::full);
  expect_words_differ(AttentionChoice::flash);
  expect_words_differ(Optimizer::sgd);
  expect_words_differ(Clipping::per_bucket);
  expect_words_differ(ReplicatorKind::none);
  expect_words_differ(LoadBalance::presort_globally);
  expect_words_differ(SampleDraw::packed);
  expect_words_differ(IndexType::int64);
  expect_words_differ(CollectiveKind::all_to_all);
  expect_words_differ(Algorithm::hierarchical);
  expect_words_differ(Protocol::simple);
  expect_words_differ(TunerVersion::nccl_2_30);
  expect_words_differ(Decomposition::hierarchical);
  expect_words_differ(Forwarding::same_rail);
  expect_words_differ(Delivery::delegated);
  expect_words_differ(Launch::graphs);
  expect_words_differ(HeadOfLine::neighbours);
  expect_words_differ(Routing::spray);
}

TEST(Words, AreThoseOfTheField) {
  EXPECT_EQ("1f1b", name_of(PipelineSchedule::one_f_one_b));
  EXPECT_EQ("zb-h1", name_of(PipelineSchedule::zb_h1));
  EXPECT_EQ("zb-h2", name_of(PipelineSchedule::zb_h2));
  EXPECT_EQ("warm-up", name_of(PipelineSchedule::warm_up));
  EXPECT_EQ("adapted", name_of(PipelineSchedule::adapted));
  EXPECT_EQ("all-reduce", name_of(CollectiveKind::all_reduce));
  EXPECT_EQ("nccl-2.28", name_of(TunerVersion::nccl_2_28));
  EXPECT_EQ("rail-pinned", name_of(Routing::rail_pinned));
}

}  // namespace
}  // namespace quintet
