// Copies of what a rank keeps, taken beside the next step, and weights that come by slices: on the
// processor and on a stand-in for a device that does what it is asked as late as it may.
#include "engine/saving/state_copy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "engine/communication/local_world.h"
#include "tests/stand_ins/on_device.h"
#include "tests/support/toy_layout.h"

namespace quintet::engine::test {
namespace {

using Content = std::map<std::string, std::vector<float>>;  // by kind, tensor and place

Content content_of(StateCopy& copy) {
  Content all;
  for (std::size_t number = 0; number < copy.pieces().size(); ++number) {
    const Piece& piece = copy.pieces()[number];
    std::vector<float> values(static_cast<std::size_t>(elements(piece.box.shape)));
    copy.put_content(number, std::as_writable_bytes(std::span(values)));
    all[piece.tensor + shape_text(piece.box.offset) + shape_text(piece.box.shape)] = values;
  }
  return all;
}

Content content_now(RankExecutor& executor, PinnedFetch* way) {
  StateCopy copy(executor, Contents::weights_and_moments, way);
  EXPECT_FALSE(copy.take_copies());
  return content_of(copy);
}

enum class On { processor, device };
using Body = std::function<void(const Toy&, RankExecutor&)>;

// All ranks of the toy, each with the body.
void with_ranks(const Toy& toy, On where, const Body& body) {
  const Program program = program_of(toy);
  const Curve curve = train_in_threads(program, 0, [&](Rank rank, CommunicationBackend& backend) {
    const auto kernels = kernels::reference_kernels();
    const auto device = fake_device({.seed = static_cast<std::uint64_t>(rank.value) + 1});
    WaitingBackend waiting(*device, backend);
    const RankExecutorInput input = executor_input(toy, program, rank);
    const DeviceOptions small{.memory = {.more = std::size_t{256} << 10}};
    auto executor = where == On::device ? RankExecutor::make(input, *device, small, waiting)
                                        : RankExecutor::make(input, *kernels, backend);
    RankCurve done;
    if (executor)
      body(toy, **executor);
    else
      done.error = executor.error();
    return done;
  });
  ASSERT_FALSE(curve.error) << curve.error->text();
}

std::vector<Layout> layouts() {
  using enum Sharding;
  return {{"one rank"},
          {.name = "bf16", .type = DataType::bf16},
          {.name = "tp2 pp2", .tensor = 2, .pipeline = 2},
          {.name = "zero1 dp2 bf16", .data = 2, .sharding = optimizer, .type = DataType::bf16},
          {.name = "zero3 dp4", .data = 4, .sharding = parameters},
          {.name = "zero3 tp2 dp2 bf16",
           .tensor = 2,
           .data = 2,
           .sharding = parameters,
           .type = DataType::bf16}};
}

// Drawn from another seed than the executor's, in slices of a few elements: what is kept must be
// what the seed gives each tensor as a whole.
TEST(SetWeights, BySlicesAreThoseOfTheirTensorsInEveryLayout) {
  const Initialisation other{.seed = 77, .deviation = 0.3};
  for (const On where : {On::processor, On::device})
    for (const Layout& layout : layouts())
      for (const Model& model : {toy_gpt2(), toy_llama()})
        with_ranks(toy_in(model, layout), where, [&](const Toy&, RankExecutor& executor) {
          const Filling filling{
              .source = initial_weights(other), .threads = 2, .slice = 333, .tile = 20};
          ASSERT_FALSE(executor.set_weights(filling));
          const auto way = way_of_copies(executor);
          StateCopy copy(executor, Contents::weights, way.get());
          ASSERT_FALSE(copy.take_copies());
          const std::vector<ParameterTensor> tensors = tensors_of(model);
          for (std::size_t number = 0; number < copy.pieces().size(); ++number) {
            const Piece& piece = copy.pieces()[number];
            const auto tensor =
                std::find_if(tensors.begin(), tensors.end(), [&](const ParameterTensor& each) {
                  return state_name(StateKind::master_weight, each.name) == piece.tensor;
                });
            ASSERT_NE(tensor, tensors.end());
            std::vector<float> found(static_cast<std::size_t>(elements(piece.box.shape))), whole;
            whole.resize(static_cast<std::size_t>(elements(tensor->shape)));
            copy.put_content(number, std::as_writable_bytes(std::span(found)));
            ASSERT_FALSE(initial_weights(other)(*tensor, quintet::whole(tensor->shape), whole));
            std::vector<float> wanted(found.size());
            copy_part(piece.box, quintet::whole(tensor->shape), std::as_bytes(std::span(whole)),
                      piece.box, std::as_writable_bytes(std::span(wanted)), sizeof(float));
            ASSERT_EQ(found, wanted) << layout.name << " " << piece.tensor;
          }
        });
}

// The copy is asked for before the third step and taken only while that is under way; the step's
// update would overwrite it.
TEST(StateCopy, IsOfTheStepItWasAskedForAlthoughTheNextGoesOn) {
  for (const On where : {On::processor, On::device})
    for (const Layout& layout : {layouts()[0], layouts()[1]})
      with_ranks(toy_in(toy_gpt2(), layout), where, [&](const Toy& toy, RankExecutor& executor) {
        for (int step = 0; step < 2; ++step) ASSERT_TRUE(executor.step(step_input(toy, step, 0)));
        const auto way = way_of_copies(executor);
        const Content before = content_now(executor, way.get());
        StateCopy copy(executor, Contents::weights_and_moments, way.get());
        std::thread late([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          EXPECT_FALSE(copy.take_copies());
        });
        EXPECT_TRUE(executor.step(step_input(toy, 2, 0)));
        late.join();
        EXPECT_TRUE(content_of(copy) == before) << layout.name;
        EXPECT_FALSE(content_now(executor, way.get()) == before) << layout.name;
      });
}

// More bytes than both pieces have, from any thread.
TEST(PinnedFetch, BringsMoreThanItsPiecesHold) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto device = fake_device({seed});
    std::vector<float> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    auto* const memory = static_cast<std::byte*>(device->allocate(4000));
    const kernels::Stream stream = device->make_stream(kernels::Urgency::usual);
    device->copy(memory, numbers.data(), 4000, stream);
    device->synchronise(stream);
    PinnedFetch way(*device, 256);
    std::vector<float> found(1000, -1.0F);
    std::thread([&] {
      way.fetch(std::as_writable_bytes(std::span(found)).data(), memory, 4000);
    }).join();
    EXPECT_EQ(found, numbers) << "seed " << seed;
  }
}

// Somebody who gives up lets the step go on.
TEST(StateCopy, ThatIsNeverTakenHoldsUpNoStep) {
  with_ranks(toy(toy_gpt2()), On::processor, [](const Toy& toy, RankExecutor& executor) {
    { StateCopy copy(executor, Contents::weights, nullptr); }
    EXPECT_TRUE(executor.step(step_input(toy, 0, 0)));
  });
}

}  // namespace
}  // namespace quintet::engine::test
