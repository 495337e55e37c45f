// One rank's step with what its kernels are asked for counted: kernels that start, on the emulator
// of CUDA's threads, with products of a library as one kernel each; or bytes and sizes, without
// computing and without touching the memory, so that models may be as large as they are.
#pragma once

#include "emulator.h"
#include "kernels/cuda/cuda_kernels.h"
#include "tests/stand_ins/counted_kernels.h"
#include "tests/stand_ins/host_device.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {

using kernels::CallLog;
using kernels::CountedCall;

// A library's products: one kernel each, whatever is fused into it. What they compute is nothing.
class OneKernelProducts : public kernels::cuda::MatrixProduct {
 public:
  explicit OneKernelProducts(CallLog& log) : log_(log) {}
  bool multiply(const kernels::Gemm&, const kernels::Stream&) override { return one(); }
  bool multiply(const kernels::GemmGelu&, const kernels::Stream&) override { return one(); }
  bool multiply(const kernels::GemmGeluBackward&, const kernels::Stream&) override { return one(); }
  bool multiply(const kernels::GemmBiasGradient&, const kernels::Stream&) override { return one(); }
  bool multiply(const kernels::Float8Gemm&, const kernels::Stream&) override { return false; }

 private:
  bool one() {
    ++log_.library_launches;
    return true;
  }
  CallLog& log_;
};

// Memory that nobody computes in stays untouched, and so needs no memory; what a GPU would set to
// zero is counted.
class UntouchedDevice : public kernels::HostDevice {
 public:
  UntouchedDevice(MakeKernels make, CallLog& log)
      : kernels::HostDevice(std::move(make)), log_(log) {}

  std::size_t free_memory() const override { return std::size_t{80} << 30; }
  void zero(void*, std::size_t bytes, const kernels::Stream&) override {
    log_.calls.push_back({"zero", 1, static_cast<double>(bytes), {}});
  }

 private:
  CallLog& log_;
};

inline std::unique_ptr<kernels::Device> emulated_device(CallLog& log) {
  return std::make_unique<kernels::HostDevice>([&log]() -> std::unique_ptr<kernels::Kernels> {
    const auto launches = [&log] {
      return static_cast<std::int64_t>(cuda_emulator::launches()) + log.library_launches;
    };
    using Counted = kernels::CountedKernels<kernels::cuda::CudaKernels, decltype(launches)>;
    return std::make_unique<Counted>(log, launches, std::make_unique<OneKernelProducts>(log));
  });
}

inline std::unique_ptr<kernels::Device> untouched_device(CallLog& log) {
  return std::make_unique<UntouchedDevice>(
      [&log]() -> std::unique_ptr<kernels::Kernels> {
        const auto none = [] { return std::int64_t{0}; };
        return std::make_unique<kernels::CountedKernels<kernels::NoKernels, decltype(none)>>(log,
                                                                                             none);
      },
      log);
}

struct Sequences {
  int count = 1, length = 64;
  int micro_batches = 1;
};

inline Batch counted_batch(Sequences sequences, int vocabulary) {
  Batch batch;
  batch.sequences = sequences.count;
  batch.length = sequences.length;
  batch.starts = {0};
  for (int sequence = 0; sequence < sequences.count; ++sequence) {
    for (int place = 0; place < sequences.length; ++place) {
      batch.tokens.push_back(place % vocabulary);
      batch.targets.push_back((place + 1) % vocabulary);
      batch.positions.push_back(place);
    }
    batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  }
  return batch;
}

// The step after the one in which the executor gets ready, in bf16, the vocabulary padded as on
// GPUs.
inline Result<CallLog> counted_step(
    Model model, Sequences sequences,
    const std::function<std::unique_ptr<kernels::Device>(CallLog&)>& make) {
  model.max_positions = sequences.length;
  Toy made = toy(std::move(model));
  made.vocabulary_multiple = 128;
  Parallelism& parallelism = made.plan.parallelism;
  parallelism.compute_type = DataType::bf16;
  parallelism.sequence_length = sequences.length;
  parallelism.micro_batch = sequences.count;
  parallelism.micro_batches = sequences.micro_batches;
  const Program program = program_of(made);
  CallLog log;
  const std::unique_ptr<kernels::Device> device = make(log);
  LocalWorld world(program);
  const auto executor =
      RankExecutor::make(executor_input(made, program, Rank{0}), *device,
                         {.memory = {.more = std::size_t{64} << 20}}, world.rank(Rank{0}));
  if (!executor) return executor.error();
  const Batch batch = counted_batch(sequences, made.model.vocabulary);
  const std::vector<Batch> batches(static_cast<std::size_t>(sequences.micro_batches), batch);
  log.calls.clear();
  const auto report = (*executor)->step({batches, static_cast<double>(batch.tokens.size())});
  if (!report) return report.error();
  return log;
}

}  // namespace quintet::engine::test
