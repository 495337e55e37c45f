// State and activations that wait in the host's memory give the bits of those that do not.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "sim/parallelism/memory.h"
#include "tests/engine/executor/layouts.h"
#include "tests/engine/executor/mirror.h"
#include "tests/support/by_name.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 5;

// The toy models have some 30,000 parameters: pieces of 20 kB make a dozen of them.
void stream(Plan& plan, double share, double piece = 20e3) {
  of(plan).offload.optimizer = share;
  of(plan).offload.piece = Bytes{piece};
}

void expect_same_training(const Toy& plain, const Toy& offloaded, const std::string& what) {
  const Curve left = train(plain, steps), right = train(offloaded, steps);
  ASSERT_FALSE(left.error) << what << ": " << left.error->text();
  ASSERT_FALSE(right.error) << what << ": " << right.error->text();
  EXPECT_EQ(left.losses, right.losses) << what;
  EXPECT_EQ(left.norms, right.norms) << what;
}

class OffloadedTraining : public testing::TestWithParam<Model> {};

TEST_P(OffloadedTraining, StreamsTheStateOfEveryLayout) {
  const std::vector<Change> cases{
      {"one", [](Plan&) {}},
      {"bf16", [](Plan& p) { of(p).compute_type = DataType::bf16; }},
      {"bf16 with bf16 moments",
       [](Plan& p) {
         of(p).compute_type = DataType::bf16;
         of(p).moment_type = DataType::bf16;
       }},
      {"fp8", [](Plan& p) { of(p).compute_type = DataType::fp8; }},
      {"sgd", [](Plan& p) { of(p).optimizer = Optimizer::sgd; }},
      {"bf16 zero1 dp2 buckets",
       [](Plan& p) {
         of(p).compute_type = DataType::bf16;
         data(p, 2), shard(p, Sharding::optimizer), buckets(p, 7e3);
       }},
      {"zero2 dp2", [](Plan& p) { data(p, 2), shard(p, Sharding::gradients); }},
      {"zero3 dp2", [](Plan& p) { data(p, 2), shard(p, Sharding::parameters); }},
      {"bf16 zero3 dp2",
       [](Plan& p) {
         of(p).compute_type = DataType::bf16;
         data(p, 2), shard(p, Sharding::parameters);
       }},
      {"tp2 pp2", [](Plan& p) { tensor(p, 2), pipeline(p, 2); }}};
  for (const Change& each : cases) {
    Toy plain = toy(GetParam());
    each.change(plain.plan);
    plain.optimizer.rule = update_rule(of(plain.plan).optimizer);
    plain.optimizer.momentum = 0.9F;
    for (const double share : {1.0, 0.37}) {
      Toy offloaded = plain;
      stream(offloaded.plan, share);
      expect_same_training(plain, offloaded, each.name);
    }
  }
}

TEST_P(OffloadedTraining, KeepsInputsOfEverySchedule) {
  using enum PipelineSchedule;
  const std::vector<Change> cases{
      {"one", [](Plan&) {}},
      {"pp2", [](Plan& p) { pipeline(p, 2); }},
      {"pp4 gpipe", [](Plan& p) { pipeline(p, 4, gpipe); }},
      {"pp2 interleaved", [](Plan& p) { pipeline(p, 2, interleaved); }},
      {"pp2 zb-h1", [](Plan& p) { pipeline(p, 2, zb_h1); }},
      {"split", [](Plan& p) { of(p).split_backward = true; }},
      {"tp2 sp", [](Plan& p) { tensor(p, 2, true); }},
      {"fp8", [](Plan& p) { of(p).compute_type = DataType::fp8; }},
      {"fp8 tp2 sp",
       [](Plan& p) {
         of(p).compute_type = DataType::fp8;
         tensor(p, 2, true);
       }},
      {"zero3 dp2 buckets",
       [](Plan& p) { data(p, 2), shard(p, Sharding::parameters), buckets(p, 7e3); }},
      {"bf16 dp2 buckets", [](Plan& p) {
         of(p).compute_type = DataType::bf16;
         data(p, 2), buckets(p, 7e3);
       }}};
  for (const Change& each : cases) {
    Toy plain = toy(GetParam());
    each.change(plain.plan);
    of(plain.plan).recompute = Recompute::full;
    Toy offloaded = plain;
    of(offloaded.plan).offload.activations = true;
    expect_same_training(plain, offloaded, each.name);
  }
}

// Steps are as many kinds as they have numbers of targets: BERT's masks are drawn anew. From the
// third on one is kept that is of the kind of the step before it, and launched for those after it
// that are of its kind (walker_graphs.cpp).
int launches(const Toy& toy) {
  std::optional<double> kept;
  int again = 0;
  for (int step = 2; step < steps; ++step) {
    const double targets = step_input(toy, step, 0).targets;
    if (kept == targets) ++again;
    if (!kept && step_input(toy, step - 1, 0).targets == targets) kept = targets;
  }
  return again;
}

// On streams that run as late and in as strange an order as they may; eagerly and as a graph.
TEST_P(OffloadedTraining, OnADeviceIsTrainingOnTheHost) {
  std::uint64_t seed = 1;
  const std::vector<Change> cases{
      {"one", [](Plan& p) { of(p).compute_type = DataType::bf16; }},
      {"pp2 zero1 dp2", [](Plan& p) { pipeline(p, 2), data(p, 2), shard(p, Sharding::optimizer); }},
      {"tp2 zero3 dp2", [](Plan& p) { tensor(p, 2), data(p, 2), shard(p, Sharding::parameters); }}};
  for (const Change& each : cases) {
    Toy made = toy(GetParam());
    each.change(made.plan);
    of(made.plan).recompute = Recompute::full;
    const Mirrored plain = mirrored_on_host(made, Rank{0}, steps);
    of(made.plan).moment_type = DataType::fp32;
    of(made.plan).offload = {.optimizer = 0.8, .activations = true, .piece = Bytes{20e3}};
    const Mirrored host = mirrored_on_host(made, Rank{0}, steps);
    // The losses and norms; then weights, which lie in other stretches.
    for (std::size_t number = 0; number < 2 * steps; ++number)
      EXPECT_EQ(plain.numbers[number], host.numbers[number]) << each.name;
    OnDevice how = small_pieces(seed++);
    EXPECT_EQ(host.numbers, mirrored_on_device(made, Rank{0}, steps, how).numbers) << each.name;
    how.options.graphs = true;
    const Mirrored kept = mirrored_on_device(made, Rank{0}, steps, how);
    EXPECT_EQ(host.numbers, kept.numbers) << each.name;
    EXPECT_EQ(kept.launches, launches(made)) << each.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OffloadedTraining,
                         testing::Values(toy_gpt2(), toy_llama(), toy_bert()), by_name);

// A rank alone on a device: bytes of it that were in use at once, and of pinned memory.
struct Counted {
  double device = 0, pinned = 0;
  std::vector<std::string> stops;  // in steps
};

Counted counted(const Toy& toy) {
  const Program program = program_of(toy);
  Stops stops;
  const auto device = fake_device({.stops = &stops});
  MirrorBackend backend(program, Rank{0}, device.get());
  auto executor = RankExecutor::make(executor_input(toy, program, Rank{0}), *device, {}, backend);
  if (!executor) throw std::runtime_error(executor.error().text());
  stops.taken();
  Mirrored ignored;
  add_steps(toy, program, Rank{0}, **executor, 3, ignored);
  const Workplace& place = (*executor)->place();
  return {static_cast<double>(place.arena()->peak()), static_cast<double>(place.pinned()->peak()),
          stops.taken()};
}

StageMemory predicted(const Toy& toy) {
  return stage_memory(toy.model, toy.plan)[0];
}

Toy wide_toy() {
  Model model = toy_llama();
  model.hidden = 128;
  model.feed_forward = 384;
  model.heads = model.kv_heads = 8;
  model.head_dim = 16;
  Toy made = toy(model);
  of(made.plan).compute_type = DataType::bf16;
  of(made.plan).recompute = Recompute::full;
  return made;
}

// What the prediction says that the device is spared, and the host is asked for, is what is
// counted; blocks are rounded up to 512 bytes (free_blocks.h).
TEST(OffloadedMemory, OfTheStateIsWhatIsPredicted) {
  const Toy plain = wide_toy();
  Toy streamed = plain;
  stream(streamed.plan, 1, 500e3);
  const Counted before = counted(plain), after = counted(streamed);
  const double spared = (predicted(plain).optimizer - predicted(streamed).optimizer).value;
  EXPECT_GT(spared, 0.8 * predicted(plain).optimizer.value);
  EXPECT_NEAR(spared, before.device - after.device, 0.01 * spared);
  EXPECT_NEAR(predicted(streamed).host.value, after.pinned, 0.01 * after.pinned);
  EXPECT_EQ(0, before.pinned);
}

// Eight micro-batches in flight, as in GPipe, each with two layers' inputs. They are of 16
// sequences, so that a step needs more than the making of weights did, which holds a layer's in
// fp32.
TEST(OffloadedMemory, OfActivationsIsWhatIsPredicted) {
  Toy plain = wide_toy();
  pipeline(plain.plan, 2, PipelineSchedule::gpipe);
  of(plain.plan).micro_batch = 16;
  Toy offloaded = plain;
  of(offloaded.plan).offload.activations = true;
  const Counted before = counted(plain), after = counted(offloaded);
  const double spared = (predicted(plain).activations - predicted(offloaded).activations).value;
  const double input = 16 * toy_length * 128 * 2;
  EXPECT_EQ(spared, (8 * 2 - 3) * input);  // memory.cpp says which three are there
  EXPECT_NEAR(spared, before.device - after.device, input);
  // The first backward's first is on its way back before the last forward has kept its own.
  EXPECT_EQ(predicted(offloaded).host.value, 16 * input);
  EXPECT_EQ(predicted(offloaded).host.value - input, after.pinned);
}

TEST(OffloadedMemory, IsNotAskedForInAStep) {
  Toy made = wide_toy();
  pipeline(made.plan, 2);
  of(made.plan).offload = {.optimizer = 1, .activations = true, .piece = Bytes{100e3}};
  EXPECT_EQ(std::vector<std::string>{}, counted(made).stops);
}

// A moment of nine tenths of some 30,000 parameters takes 108 kB.
TEST(OffloadedMemory, ThatTheHostDoesNotGiveIsNamedWithWhatToChange) {
  Toy made = toy(toy_gpt2());
  stream(made.plan, 0.9);
  const Program program = program_of(made);
  const auto device = fake_device({.pinned_bytes = 50'000});
  MirrorBackend backend(program, Rank{0}, device.get());
  const auto executor =
      RankExecutor::make(executor_input(made, program, Rank{0}), *device, {}, backend);
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().text().substr(0, 40), "host: the host's pinned memory is full: ");
  const std::string remedy = "with parallelism.offload.optimizer below 0.9, or fewer ranks";
  EXPECT_NE(executor.error().text().find(remedy), std::string::npos) << executor.error().text();
}

TEST(MomentsInBf16, LearnAlmostAsThoseInFp32) {
  const Toy single = toy(toy_gpt2());
  Toy half = single;
  of(half.plan).moment_type = DataType::bf16;
  const Curve left = train(single, 20), right = train(half, 20);
  ASSERT_FALSE(right.error) << right.error->text();
  EXPECT_NE(left.losses, right.losses);
  for (std::size_t step = 0; step < left.losses.size(); ++step)
    EXPECT_NEAR(left.losses[step], right.losses[step], 0.02) << step;
  // Moments are all that there is beside weights in fp32, and each is half as large.
  EXPECT_EQ(predicted(single).optimizer, 2.0 * predicted(half).optimizer);
}

}  // namespace
}  // namespace quintet::engine::test
