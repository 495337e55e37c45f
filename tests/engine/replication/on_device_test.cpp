// Replicators compute on a device what they do on the host, bit by bit: the stand-in runs streams
// as late and in as odd an order as it may, so a wait that is missing gives other numbers.
#include <gtest/gtest.h>

#include "tests/engine/replication/usual_replicators.h"
#include "tests/stand_ins/on_device.h"

namespace quintet::engine::test {
namespace {

// Two exchanges of those that have one in four steps; a step behind the first of them.
constexpr int device_steps = 9, few_device_steps = 5;

void expect_same_bits(const Toy& toy, const OnDevice& how, int number, const std::string& name) {
  const Curve host = train(toy, number), device = train_on_devices(toy, number, how);
  ASSERT_FALSE(host.error) << name << ": " << host.error->text();
  ASSERT_FALSE(device.error) << name << ": " << device.error->text();
  EXPECT_EQ(host.losses, device.losses) << name;
}

TEST(ReplicatorsOnDevices, ComputeWhatTheyDoOnTheHost) {
  std::uint64_t seed = 1;
  for (const auto& [name, replicator] : more_replicators())
    expect_same_bits(replicated(plain(toy_gpt2(), UpdateRule::adamw),
                                {.name = "dp2", .data = 2, .bucket = 9e3}, replicator),
                     small_pieces(seed++), device_steps, name);
}

TEST(ReplicatorsOnDevices, ComputeItInEveryLayout) {
  std::uint64_t seed = 100;
  for (const auto& [name, replicator] : usual_replicators())
    for (const Layout& layout : replicated_layouts())
      if (!is_refused(layout, replicator))
        expect_same_bits(replicated(plain(toy_llama(), UpdateRule::sgd), layout, replicator),
                         small_pieces(seed++), few_device_steps, name + " " + layout.name);
}

// Memory that was never used is poisoned: what reads before it writes, or counts on zeros, shows.
TEST(ReplicatorsOnDevices, ReadNothingThatWasNotWritten) {
  std::uint64_t seed = 200;
  for (const auto& [name, replicator] : more_replicators()) {
    OnDevice how = small_pieces(seed++);
    how.options.memory.reuse = Reuse::never;
    how.options.memory.more = std::size_t{4} << 20;
    expect_same_bits(
        replicated(plain(toy_gpt2(), UpdateRule::adamw), {.name = "dp2", .data = 2}, replicator),
        how, few_device_steps, name);
  }
}

}  // namespace
}  // namespace quintet::engine::test
