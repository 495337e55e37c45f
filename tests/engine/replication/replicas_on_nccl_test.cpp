// Replicators exchange over NCCL what they do on the host, bit by bit and without a deadlock: only
// the library and the devices are stand-ins.
#include <gtest/gtest.h>

#include "tests/engine/replication/usual_replicators.h"
#include "tests/stand_ins/on_nccl.h"

namespace quintet::engine::test {
namespace {

constexpr int nccl_steps = 6;  // one exchange of those that have one in four

OnNccl small_on_nccl(std::uint64_t seed) {
  OnNccl how;
  how.options.memory.more = std::size_t{256} << 10;
  how.device.seed = seed;
  how.device.patience = how.patience = std::chrono::seconds{20};
  return how;
}

Toy two_replicas(const Replicator& replicator) {
  return replicated(plain(toy_gpt2(), UpdateRule::adamw), {.name = "dp2", .data = 2, .bucket = 9e3},
                    replicator);
}

CurveOnNccl expect_same_bits(const Toy& toy, const OnNccl& how, const std::string& name) {
  const Curve host = train(toy, nccl_steps);
  CurveOnNccl found = train_on_nccl(toy, nccl_steps, how);
  EXPECT_FALSE(host.error) << name << ": " << host.error->text();
  EXPECT_FALSE(found.curve.error) << name << ": " << found.curve.error->text();
  EXPECT_EQ(host.losses, found.curve.losses) << name;
  EXPECT_EQ(found.stuck, std::vector<std::string>{}) << name;
  return found;
}

TEST(ReplicasOverNccl, ExchangeWhatTheyDoOnTheHost) {
  std::uint64_t seed = 1;
  for (const auto& [name, replicator] : more_replicators())
    expect_same_bits(two_replicas(replicator), small_on_nccl(seed++), name);
}

TEST(ReplicasOverNccl, ExchangeBetweenGroupsThatShareTheirWeights) {
  std::uint64_t seed = 40;
  for (const auto& [name, replicator] : usual_replicators())
    expect_same_bits(
        replicated(
            plain(toy_llama(), UpdateRule::sgd),
            {.name = "zero3", .data = 4, .sharding = Sharding::parameters, .sharding_group = 2},
            replicator),
        small_on_nccl(seed++), name);
}

// Where a step is the same as the one before for the device, its third is kept, and the others are
// launches of it; where elements or exchanges change from step to step there is no graph.
TEST(ReplicasOverNccl, LaunchStepsAsGraphsWhereTheyAreAlike) {
  std::uint64_t seed = 80;
  for (const auto& [name, replicator] : more_replicators()) {
    OnNccl how = small_on_nccl(seed++);
    how.options.graphs = true;
    const CurveOnNccl found = expect_same_bits(two_replicas(replicator), how, name);
    const bool alike = replicator.every == 1 && (replicator.kind == ReplicatorKind::demo ||
                                                 replicator.kind == ReplicatorKind::none);
    for (const std::int64_t launches : found.launches)
      EXPECT_EQ(launches, alike ? nccl_steps - 3 : 0) << name;
  }
}

// During a step a device never waits for all its streams: the step was rehearsed with its exchange.
TEST(ReplicasOverNccl, NoStepTakesMemoryOrLoads) {
  for (const auto& [name, replicator] : usual_replicators()) {
    const Toy made = two_replicas(replicator);
    const Program program = program_of(made);
    std::vector<Stops> stops(2);
    OnNccl how = small_on_nccl(3);
    how.stops = &stops;
    how.train = [&](Rank rank, RankExecutor& executor) {
      Stops& mine = stops[static_cast<std::size_t>(rank.value)];
      static_cast<void>(mine.taken());
      RankCurve curve = train_rank(made, program, rank, executor, nccl_steps);
      EXPECT_EQ(mine.taken(), std::vector<std::string>{});
      return curve;
    };
    const CurveOnNccl found = train_on_nccl(made, nccl_steps, how);
    ASSERT_FALSE(found.curve.error) << name << ": " << found.curve.error->text();
  }
}

}  // namespace
}  // namespace quintet::engine::test
