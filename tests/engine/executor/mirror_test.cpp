// The host runs far ahead of the device: only events keep its streams in order.
#include "tests/engine/executor/mirror.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/executor/layouts.h"
#include "tests/support/by_name.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 5;

Toy toy_with(const Model& model, const Change& layout) {
  Toy made = toy(model);
  made.vocabulary_multiple = layout.vocabulary_multiple;
  layout.change(made.plan);
  return made;
}

bool finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double each) { return std::isfinite(each); });
}

class Mirror : public testing::TestWithParam<Model> {};

// The first rank and the last, which have other roles in a pipeline; eagerly, and from the third
// step on as a graph.
TEST_P(Mirror, EveryLayoutComputesOnADeviceWhatItDoesOnTheHost) {
  std::uint64_t seed = 1;
  for (const Change& layout : layouts()) {
    const Toy made = toy_with(GetParam(), layout);
    const int last = world_size(program_of(made).grid) - 1;
    for (const Rank rank : {Rank{0}, Rank{last}}) {
      const Mirrored host = mirrored_on_host(made, rank, steps);
      ASSERT_TRUE(finite(host.numbers)) << layout.name;
      OnDevice how = small_pieces(seed++);
      EXPECT_EQ(host.numbers, mirrored_on_device(made, rank, steps, how).numbers)
          << layout.name << " rank " << rank.value;
      how.options.graphs = true;
      const Mirrored kept = mirrored_on_device(made, rank, steps, how);
      EXPECT_EQ(host.numbers, kept.numbers) << layout.name << " rank " << rank.value;
      EXPECT_EQ(kept.launches, 2) << layout.name << " rank " << rank.value;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Mirror, testing::Values(toy_gpt2(), toy_llama()), by_name);

}  // namespace
}  // namespace quintet::engine::test
