// Every layout computes on a device what it computes on the CPU, bit by bit: the stand-in runs
// streams as late and in as odd an order as it may, so a wait that is missing gives other numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "tests/engine/executor/layouts.h"
#include "tests/stand_ins/on_device.h"
#include "tests/support/by_name.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 3;
constexpr int one_after_the_first = 2;  // the second reads what the first left

void expect_same_bits(const Toy& toy, const OnDevice& how, const std::string& name,
                      int number = steps) {
  const Curve host = train(toy, number), device = train_on_devices(toy, number, how);
  ASSERT_FALSE(host.error) << name << ": " << host.error->text();
  ASSERT_FALSE(device.error) << name << ": " << device.error->text();
  EXPECT_EQ(host.losses, device.losses) << name;
  EXPECT_EQ(host.norms, device.norms) << name;
}

Toy toy_with(const Model& model, const Change& layout) {
  Toy made = toy(model);
  made.vocabulary_multiple = layout.vocabulary_multiple;
  layout.change(made.plan);
  return made;
}

class OnDevices : public testing::TestWithParam<Model> {};

TEST_P(OnDevices, EveryLayoutComputesWhatItDoesOnTheHost) {
  std::uint64_t seed = 1;
  for (const Change& layout : layouts())
    expect_same_bits(toy_with(GetParam(), layout), small_pieces(seed++), layout.name);
}

// Memory that was never used is poisoned: what reads before it writes, or counts on zeros, shows.
TEST_P(OnDevices, NothingIsReadThatWasNotWritten) {
  std::uint64_t seed = 100;
  for (const Change& layout : layouts()) {
    OnDevice how = small_pieces(seed++);
    how.options.memory.reuse = Reuse::never;
    how.options.memory.more = std::size_t{4} << 20;
    expect_same_bits(toy_with(GetParam(), layout), how, layout.name, one_after_the_first);
  }
}

// Kernels that do two operators in one pass are asked for both at the first of the two
// instructions; made of the two here, they give the same bits.
TEST_P(OnDevices, OperatorsThatKernelsFuseAreAskedForAtOnce) {
  for (const Change& layout : layouts()) {
    const Toy made = toy_with(GetParam(), layout);
    CallCounts calls;
    OnDevice how = small_pieces(7);
    how.counts = &calls;
    expect_same_bits(made, how, layout.name, one_after_the_first);
    const bool gated = made.model.mlp == MlpKind::gated_silu;
    EXPECT_EQ(calls.gelu > 0, !gated) << layout.name;
    EXPECT_EQ(calls.gelu_backward > 0, !gated) << layout.name;
    const bool biases = made.model.mlp_bias || made.model.qkv_bias;
    EXPECT_EQ(calls.bias_gradient > 0, biases) << layout.name;
  }
}

// GPT-2's 4 layers, 8 micro-batches, 3 steps and their rehearsal: a GELU each, forward and
// backward; a bias for each of the four products.
TEST(OnDevice, EveryPairThatAPlanHoldsTogetherIsFused) {
  CallCounts calls;
  OnDevice how = small_pieces(8);
  how.counts = &calls;
  const Toy gpt2 = toy(toy_gpt2());
  expect_same_bits(gpt2, how, "gpt2");
  const int each = 4 * gpt2.plan.parallelism.micro_batches * (steps + 1);
  EXPECT_EQ(calls.gelu, each);
  EXPECT_EQ(calls.gelu_backward, each);
  EXPECT_EQ(calls.bias_gradient, 4 * each);
}

INSTANTIATE_TEST_SUITE_P(Models, OnDevices,
                         testing::Values(toy_gpt2(), toy_llama(), with_dropout(toy_bert()),
                                         toy_qwen3()),
                         by_name);

TEST(OnDevice, OptimizersClippingAndTypesComputeWhatTheyDoOnTheHost) {
  Toy split = toy(toy_gpt2());
  split.plan.parallelism.data = 2;
  split.plan.parallelism.micro_batches = toy_sequences / 2;
  split.plan.ccl.bucket = Bytes{9e3};
  for (const Clipping clipping : {Clipping::none, Clipping::after_reduction,
                                  Clipping::before_reduction, Clipping::per_bucket}) {
    Toy clipped = split;
    clipped.plan.parallelism.clipping = clipping;
    clipped.optimizer.maximum_norm = 0.05F;
    expect_same_bits(clipped, small_pieces(1), "clipping");
  }
  Toy lamb = split;
  lamb.plan.parallelism.optimizer = Optimizer::lamb;
  lamb.optimizer.rule = UpdateRule::lamb;
  expect_same_bits(lamb, small_pieces(2), "LAMB");
  Toy sgd = split;
  sgd.plan.parallelism.optimizer = Optimizer::sgd;
  sgd.optimizer.rule = UpdateRule::sgd;
  sgd.optimizer.momentum = 0.9F;
  expect_same_bits(sgd, small_pieces(3), "SGD");
  Toy mixed = split;
  mixed.plan.parallelism.compute_type = mixed.plan.parallelism.gradient_type = DataType::bf16;
  mixed.plan.parallelism.sharding = Sharding::parameters;
  expect_same_bits(mixed, small_pieces(4), "bf16");
}

// The first steps overflow and are left out.
TEST(OnDevice, LossScalingAsksTheDeviceForTheNorm) {
  Toy scaled = toy(toy_gpt2());
  scaled.optimizer.loss_scaling = {.initial = std::ldexp(1.0, 65), .growth = 2};
  expect_same_bits(scaled, small_pieces(5), "loss scaling");
}

TEST(OnDevice, FullMemoryEndsInPlainWords) {
  OnDevice how = small_pieces(1);
  how.device_bytes = std::size_t{1} << 18;
  const Curve full = train_on_devices(toy(toy_gpt2()), 1, how);
  ASSERT_TRUE(full.error);
  EXPECT_EQ(full.error->text().substr(0, 37), "device: the device's memory is full: ");
  const std::string remedy = ". Less is needed with parallelism.recompute selective or full";
  EXPECT_NE(full.error->text().find(remedy), std::string::npos) << full.error->text();
  how.options.memory.first = std::size_t{1} << 19;
  const Curve predicted = train_on_devices(toy(toy_gpt2()), 1, how);
  ASSERT_TRUE(predicted.error);
  const std::string none_left =
      "device: the device's memory is full: 524288 bytes that the step was predicted to need are "
      "not left" +
      remedy;
  EXPECT_EQ(predicted.error->text().substr(0, none_left.size()), none_left);
}

// With room for weights and not for all activations, it is said which work asked for more.
TEST(OnDevice, FullMemoryNamesTheWorkThatItWasFor) {
  OnDevice how = small_pieces(1);
  how.options.memory.more = std::size_t{4} << 10;
  std::set<std::string> named;
  std::string texts;
  for (std::size_t bytes = std::size_t{64} << 10; bytes < std::size_t{4} << 20;
       bytes += std::size_t{4} << 10) {
    how.device_bytes = bytes;
    const Curve full = train_on_devices(toy(toy_gpt2()), 1, how);
    if (!full.error) break;
    const std::string text = full.error->text();
    const std::string before = "; they are for: ", after = ". Less is needed with ";
    const std::size_t begin = text.find(before), end = text.find(after);
    ASSERT_NE(end, std::string::npos) << text;
    texts += text + "\n";
    if (begin != std::string::npos)
      named.insert(text.substr(begin + before.size(), end - begin - before.size()));
  }
  EXPECT_TRUE(std::any_of(named.begin(), named.end(), [](const std::string& work) {
    return work.find(" of layer ") != std::string::npos &&
           work.find(", micro-batch ") != std::string::npos;
  })) << texts;
}

// Spans of all instructions, in the order of each lane.
TEST(OnDevice, TimesAreTakenWhereTheyAreAskedFor) {
  OnDevice how = small_pieces(1);
  EXPECT_TRUE(train_on_devices(toy(toy_gpt2()), 1, how).last_spans.front().empty());
  how.options.times = true;
  const auto host = train(toy(toy_gpt2()), 1).last_spans.front();
  const auto device = train_on_devices(toy(toy_gpt2()), 1, how).last_spans.front();
  EXPECT_EQ(host.size(), device.size());
}

struct Captured {
  std::vector<double> losses;
  std::vector<bool> updated;
  std::int64_t launches = 0;
  std::optional<std::string> why_not;
};

// Norms that overflowed are no numbers, and no such two are equal.
std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  for (const double each : numbers) bits.push_back(std::bit_cast<std::uint64_t>(each));
  return bits;
}

using ChangeInput = std::function<void(StepInput&, int step)>;

Captured trained_alone(const Toy& toy, bool graphs, int count, const ChangeInput& change = {},
                       CallCounts* counts = nullptr) {
  const Program program = program_of(toy);
  const auto device = fake_device({.seed = 5, .counts = counts});
  LocalWorld world(program);
  WaitingBackend backend(*device, world.rank(Rank{0}));
  DeviceOptions options = small_pieces(1).options;
  options.graphs = graphs;
  const auto executor =
      RankExecutor::make(executor_input(toy, program, Rank{0}), *device, options, backend);
  Captured result;
  for (int step = 0; step < count; ++step) {
    (*executor)->set_learning_rate(1e-3F * static_cast<float>(step + 1));
    StepInput input = step_input(toy, step, 0);
    if (change) change(input, step);
    const auto report = (*executor)->step(input);
    EXPECT_TRUE(report) << report.error().text();
    if (report) result.losses.push_back(report->loss_sum + report->gradient_norm);
    if (report) result.updated.push_back(report->updated);
  }
  result.launches = (*executor)->launches();
  result.why_not = (*executor)->uncaptured();
  return result;
}

// Two documents in each sequence.
ChangeInput second_document_at(const std::function<int(int step)>& place) {
  return [place](StepInput& input, int step) {
    for (Batch& batch : input.micro_batches) batch.starts = {0, place(step), toy_length};
  };
}

// Kernels that want sequences of one length are told where they are.
TEST(OnDevice, SequencesOfOneLengthAreSaidToBe) {
  CallCounts even, uneven;
  const auto middle = [](int) { return toy_length / 2; };
  const auto early = [](int) { return 5; };
  trained_alone(toy(toy_gpt2()), false, 1, second_document_at(middle), &even);
  trained_alone(toy(toy_gpt2()), false, 1, second_document_at(early), &uneven);
  EXPECT_GT(even.attention, 0);
  EXPECT_EQ(even.even_attention, even.attention);
  EXPECT_EQ(uneven.attention, even.attention);
  EXPECT_EQ(2 * uneven.even_attention, uneven.attention);  // in the rehearsal, as long as the step
}

// Two steps as they come, the third is kept, the others are launches of it; the learning rate, the
// update's number and the tokens are other ones in each.
TEST(Graphs, LaunchedAgainComputeTheNextStep) {
  for (const Model& model : {toy_gpt2(), toy_llama()}) {
    Toy every = toy(model);
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      every.plan.parallelism.recompute = recompute;
      const Captured eager = trained_alone(every, false, 8), kept = trained_alone(every, true, 8);
      EXPECT_EQ(eager.losses, kept.losses) << model.name;
      EXPECT_EQ(eager.launches, 0);
      EXPECT_EQ(kept.launches, 5) << model.name;
    }
  }
}

// BERT's masks are drawn anew: another number of targets is another scale of the gradients.
TEST(Graphs, AreNotLaunchedForAStepOfAnotherKind) {
  const Captured eager = trained_alone(toy(toy_bert()), false, 8);
  const Captured kept = trained_alone(toy(toy_bert()), true, 8);
  EXPECT_EQ(eager.losses, kept.losses);
  EXPECT_LT(kept.launches, 5);
}

// In the sixth step a document begins elsewhere: products of stored scores have other sizes then.
TEST(Graphs, AreNotLaunchedWhereSequencesStartElsewhere) {
  Toy stored = toy(toy_gpt2());
  stored.plan.parallelism.attention = AttentionChoice::unfused;
  for (const Toy& made : {toy(toy_gpt2()), stored}) {
    const auto change = second_document_at([](int step) { return step == 5 ? 7 : 5; });
    const Captured eager = trained_alone(made, false, 8, change);
    const Captured kept = trained_alone(made, true, 8, change);
    EXPECT_EQ(eager.losses, kept.losses);
    EXPECT_EQ(kept.launches, 4);
  }
}

// The update is in the graph: of a step that is launched again the device is asked for no kernel.
TEST(Graphs, HaveTheWholeStep) {
  CallCounts counts;
  const Toy made = toy(toy_gpt2());
  const Program program = program_of(made);
  const auto device = fake_device({.seed = 6, .counts = &counts});
  LocalWorld world(program);
  WaitingBackend backend(*device, world.rank(Rank{0}));
  DeviceOptions options = small_pieces(1).options;
  options.graphs = true;
  const auto executor =
      RankExecutor::make(executor_input(made, program, Rank{0}), *device, options, backend);
  for (int step = 0; step < 6; ++step) {
    const int kernels = counts.kernels, launches = counts.launches;
    ASSERT_TRUE((*executor)->step(step_input(made, step, 0)));
    EXPECT_EQ(counts.kernels == kernels, step >= 3) << step;
    EXPECT_EQ(counts.launches - launches, step >= 2 ? 1 : 0) << step;
  }
}

// Steps overflow until the scale fits; the device finds that out itself, in a graph too.
TEST(Graphs, DecideThemselvesWhetherGradientsOverflowed) {
  Toy scaled = toy(toy_gpt2());
  scaled.optimizer.loss_scaling = {.initial = std::ldexp(1.0, 68), .growth = 2};
  scaled.optimizer.loss_scaling.growth_interval = 3;
  const Captured eager = trained_alone(scaled, false, 12), kept = trained_alone(scaled, true, 12);
  EXPECT_EQ(bits_of(eager.losses), bits_of(kept.losses));
  EXPECT_EQ(eager.updated, kept.updated);
  EXPECT_EQ(kept.launches, 9);
  const auto left_out = std::count(kept.updated.begin(), kept.updated.end(), false);
  EXPECT_GT(left_out, 3);  // also steps that were launched
  EXPECT_LT(left_out, 12);
}

TEST(Graphs, AreRefusedWithTheReason) {
  Toy made = toy(with_dropout(toy_gpt2()));
  EXPECT_EQ(trained_alone(made, true, 4).why_not, "dropout draws other numbers in every step");
  made = toy(toy_gpt2());
  EXPECT_EQ(trained_alone(made, true, 4).why_not, std::nullopt);
  made.optimizer.loss_scaling = {.initial = 2, .growth = 2};
  EXPECT_EQ(trained_alone(made, true, 4).why_not, std::nullopt);
}

// A second step is queued while the first is held up, so nothing in a step waits for the device,
// not even where gradients are scaled; the reports are those of steps one by one.
TEST(Reports, OfAStepAreThereWhileTheNextIsUnderWay) {
  for (const bool graphs : {false, true})
    for (const LossScaling& scaling :
         {LossScaling{}, LossScaling{.initial = std::ldexp(1.0, 66), .growth = 2}}) {
      Toy made = toy(toy_gpt2());
      made.optimizer.loss_scaling = scaling;
      const Captured one_by_one = trained_alone(made, graphs, 8);
      const Program program = program_of(made);
      const auto device = fake_device({.seed = 5, .patience = std::chrono::seconds(20)});
      LocalWorld world(program);
      WaitingBackend backend(*device, world.rank(Rank{0}));
      DeviceOptions options = small_pieces(1).options;
      options.graphs = graphs;
      const auto made_executor =
          RankExecutor::make(executor_input(made, program, Rank{0}), *device, options, backend);
      RankExecutor& executor = **made_executor;
      ASSERT_TRUE(executor.goes_ahead());
      std::vector<double> losses;
      const auto report = [&] {
        const auto step = executor.report();
        ASSERT_TRUE(step) << step.error().text();
        losses.push_back(step->loss_sum + step->gradient_norm);
      };
      std::array<std::atomic<bool>, 8> over{};
      for (std::size_t step = 0; step < over.size(); ++step) {
        queue_meeting(
            *device, executor.place().stream(), [] {}, [&over, step] { return over[step].load(); });
        executor.set_learning_rate(1e-3F * static_cast<float>(step + 1));
        const auto wrong = executor.queue(step_input(made, static_cast<int>(step), 0));
        ASSERT_FALSE(wrong) << wrong->text();
        if (step == 0) continue;
        over[step - 1] = true;
        report();
      }
      over.back() = true;
      report();
      EXPECT_EQ(bits_of(losses), bits_of(one_by_one.losses));
      EXPECT_EQ(executor.launches(), graphs ? 5 : 0);
    }
}

// Messages through the host cannot be kept: the same plan runs without graphs.
TEST(Graphs, AreNotKeptWhereMessagesGoThroughTheHost) {
  Toy split = toy(toy_gpt2());
  split.plan.parallelism.data = 2;
  split.plan.parallelism.micro_batches = toy_sequences / 2;
  OnDevice how = small_pieces(9);
  how.options.graphs = true;
  expect_same_bits(split, how, "dp2");
}

}  // namespace
}  // namespace quintet::engine::test
