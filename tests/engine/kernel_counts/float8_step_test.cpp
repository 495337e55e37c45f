// Steps with products in fp8 by our kernels for GPUs, on the emulator of CUDA's threads, under the
// executor, against the CPU's reference.
#include <gtest/gtest.h>

#include <cmath>

#include "emulator.h"
#include "kernels/cuda/cuda_kernels.h"
#include "tests/stand_ins/host_device.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 3;

Toy small(Model model, Float8Scaling scaling) {
  model.layers = 1;
  Toy made = toy(std::move(model));
  made.plan.parallelism.compute_type = DataType::fp8;
  made.plan.parallelism.float8.scaling = scaling;
  made.plan.parallelism.micro_batches = 2;
  return made;
}

Curve on_emulator(const Toy& toy) {
  const Program program = program_of(toy);
  return train_in_threads(program, steps, [&](Rank rank, CommunicationBackend& backend) {
    kernels::HostDevice device([] { return std::make_unique<kernels::cuda::CudaKernels>(); });
    auto executor = RankExecutor::make(executor_input(toy, program, rank), device,
                                       {.memory = {.more = std::size_t{16} << 20}}, backend);
    if (executor) return train_rank(toy, program, rank, **executor, steps);
    RankCurve curve;
    curve.error = executor.error();
    return curve;
  });
}

// Sums in another order are another bf16 (2^-8) here and there, and then another code of e4m3 (2^-3
// of a number): of a thousand numbers a few, so a loss is off by less than 2^-8.
TEST(Float8Steps, OnTheEmulatorOfCudaGiveTheReferencesLosses) {
  for (const Model& model : {toy_gpt2(), toy_llama()})
    for (const Float8Scaling scaling :
         {Float8Scaling::delayed, Float8Scaling::current, Float8Scaling::block}) {
      const Toy made = small(model, scaling);
      const Curve expected = train(made, steps), found = on_emulator(made);
      ASSERT_FALSE(expected.error) << expected.error->text();
      ASSERT_FALSE(found.error) << found.error->text();
      for (int step = 0; step < steps; ++step) {
        const auto at = static_cast<std::size_t>(step);
        EXPECT_NEAR(found.losses[at], expected.losses[at], expected.losses[at] / 256)
            << model.name << ", " << name_of(scaling) << ", step " << step;
        EXPECT_NEAR(found.norms[at], expected.norms[at], expected.norms[at] / 16)
            << model.name << ", " << name_of(scaling) << ", step " << step;
      }
    }
}

}  // namespace
}  // namespace quintet::engine::test
