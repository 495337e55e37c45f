// Training with products in fp8, by every recipe, in every kind of layout.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/engine/executor/layouts.h"
#include "tests/stand_ins/on_device.h"
#include "tests/support/by_name.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 30;
constexpr int few_steps = 6;  // more than delayed scaling remembers here

// e4m3's step is 2^-3 of a number between two powers of two, so what is rounded to it is off by
// 2^-4 at most, as is a product of two such by 2^-3; of many that add up the errors are of both
// signs. A loss that is off by more than 2^-4 is not that of numbers rounded so.
constexpr double e4m3_error = 1.0 / 16;

constexpr Float8Scaling scalings[] = {Float8Scaling::delayed, Float8Scaling::current,
                                      Float8Scaling::block};

Toy in_fp8(const Model& model, Float8Scaling scaling) {
  Toy made = toy(model);
  made.plan.parallelism.compute_type = DataType::fp8;
  made.plan.parallelism.float8 = {.scaling = scaling};
  if (scaling == Float8Scaling::delayed) made.plan.parallelism.float8.history = 4;
  return made;
}

double largest_difference(const std::vector<double>& left, const std::vector<double>& right) {
  double largest = 0;
  for (std::size_t step = 0; step < left.size(); ++step)
    largest = std::max(largest, std::abs(left[step] - right[step]) / std::abs(left[step]));
  return largest;
}

Curve trained(const Toy& toy, int number = steps) {
  Curve curve = train(toy, number);
  EXPECT_FALSE(curve.error) << curve.error->text();
  return curve;
}

class Float8Training : public testing::TestWithParam<Model> {};

TEST_P(Float8Training, LossesAreThoseOfBf16WithinTheStepOfTheNumbers) {
  Toy bf16 = toy(GetParam());
  bf16.plan.parallelism.compute_type = DataType::bf16;
  const Curve expected = trained(bf16);
  EXPECT_LT(expected.losses.back(), 0.95 * expected.losses.front());
  for (const Float8Scaling scaling : scalings) {
    const Curve found = trained(in_fp8(GetParam(), scaling));
    const double difference = largest_difference(expected.losses, found.losses);
    RecordProperty(std::string(name_of(scaling)), std::to_string(difference));
    EXPECT_LT(difference, e4m3_error) << name_of(scaling);
    EXPECT_GT(difference, 1e-5) << name_of(scaling) << ": nothing was rounded";
    EXPECT_EQ(found.losses, trained(in_fp8(GetParam(), scaling)).losses) << name_of(scaling);
  }
}

// One of each kind: other layouts differ in what is exchanged of weights and gradients alone.
std::vector<Change> kinds_of_layouts() {
  const std::set<std::string> names{"dp2",
                                    "dp4 buckets",
                                    "tp2",
                                    "tp2 sp",
                                    "tp4 sp",
                                    "pp4",
                                    "pp2 interleaved",
                                    "pp2 zb-h1",
                                    "tp2 sp full recompute",
                                    "unfused tp2 sp pp2 zb-h1 selective recompute",
                                    "zero1 dp2",
                                    "zero2 dp2",
                                    "zero3 dp2",
                                    "zero3 dp2 full recompute"};
  std::vector<Change> found;
  for (const Change& layout : layouts())
    if (names.contains(layout.name)) found.push_back(layout);
  EXPECT_EQ(found.size(), names.size());
  return found;
}

Toy with(Toy toy, const Change& layout) {
  toy.vocabulary_multiple = layout.vocabulary_multiple;
  layout.change(toy.plan);
  return toy;
}

// Ranks see parts of tensors under scales of their own: other roundings, no more.
TEST_P(Float8Training, EveryLayoutGivesTheLossesOfOneRank) {
  for (const Float8Scaling scaling : scalings) {
    const Toy alone = in_fp8(GetParam(), scaling);
    const Curve single = trained(alone, few_steps);
    for (const Change& layout : kinds_of_layouts()) {
      const Curve found = train(with(alone, layout), few_steps);
      ASSERT_FALSE(found.error) << layout.name << ": " << found.error->text();
      const double difference = largest_difference(single.losses, found.losses);
      RecordProperty(std::string(name_of(scaling)) + " " + layout.name, std::to_string(difference));
      EXPECT_LT(difference, e4m3_error / 2) << name_of(scaling) << ", " << layout.name;
    }
  }
}

// What one rank repeats, and a backward in two passes, multiplies the very same codes.
TEST_P(Float8Training, RecomputeAndASplitBackwardGiveTheSameBits) {
  const std::set<std::string> names{"split backward", "selective recompute", "full recompute"};
  for (const Float8Scaling scaling : scalings) {
    const Toy alone = in_fp8(GetParam(), scaling);
    const Curve expected = trained(alone, 5);
    for (const Change& layout : layouts()) {
      if (!names.contains(layout.name)) continue;
      EXPECT_EQ(expected.losses, trained(with(alone, layout), 5).losses)
          << name_of(scaling) << ", " << layout.name;
    }
  }
}

TEST_P(Float8Training, ADeviceComputesWhatTheHostDoes) {
  std::uint64_t seed = 50;
  for (const Float8Scaling scaling : scalings)
    for (const Change& layout : kinds_of_layouts()) {
      const Toy split = with(in_fp8(GetParam(), scaling), layout);
      const Curve host = trained(split, 3);
      const Curve device = train_on_devices(split, 3, small_pieces(seed++));
      ASSERT_FALSE(device.error) << layout.name << ": " << device.error->text();
      EXPECT_EQ(host.losses, device.losses) << name_of(scaling) << ", " << layout.name;
      EXPECT_EQ(host.norms, device.norms) << name_of(scaling) << ", " << layout.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, Float8Training,
                         testing::Values(toy_gpt2(), toy_llama(), with_dropout(toy_bert())),
                         by_name);

// A step that is kept as a graph and launched again rolls its history all the same.
TEST(Float8Graphs, OfStepsGiveTheSameBits) {
  for (const Float8Scaling scaling : scalings) {
    const Toy one = in_fp8(toy_llama(), scaling);
    OnDevice how = small_pieces(9);
    how.options.graphs = true;
    const Curve kept = train_on_devices(one, 8, how);
    ASSERT_FALSE(kept.error) << kept.error->text();
    EXPECT_EQ(trained(one, 8).losses, kept.losses) << name_of(scaling);
  }
}

}  // namespace
}  // namespace quintet::engine::test
