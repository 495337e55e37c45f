// Trains one rank's part of a model, step by step, as a program says.
//
//   auto executor = RankExecutor::make(input, kernels, backend);
//   for (...) executor->step(micro_batches);
//
// or, where the executor goes ahead: queue() the next step, then report() the one before it, so
// that a device always has something to do.
//
// The kernels run on the calling thread, or on a device behind one interface with them.
// Everything is taken from the program (sim/parallelism/compile.h): no schedule, bucket or sharding
// is known here. The plan only says sizes and types.
#pragma once

#include <functional>
#include <memory>

#include "engine/device/memory_full.h"
#include "engine/executor/forward_only.h"
#include "engine/executor/rank_work.h"
#include "engine/executor/walker.h"
#include "engine/parameters/initial_weights.h"
#include "sim/parallelism/compile.h"

namespace quintet::engine {

// What a rank's weights are when it is made.
enum class FirstWeights {
  drawn,      // those of the seed
  yet_to_be,  // anything: they are set before the first step
};

struct RankExecutorInput {
  Model model;
  Plan plan;
  Program program;
  CompileOptions options;  // those the program was compiled with
  Rank rank;
  Numerics numerics;
  OptimizerSettings optimizer;
  Initialisation initial;
  FirstWeights first_weights = FirstWeights::drawn;
  int filling_threads = 1;  // that draw and read weights
};

struct StepReport {
  double loss_sum = 0;             // of this rank's targets; 0 on ranks without the head
  double gradient_norm = 0;        // before clipping, where the program clips all at once
  double loss_scale = 1;           // that the step was computed with
  bool updated = true;             // false: gradients overflowed under loss scaling
  std::vector<Span> spans;         // `info` counts the instructions of the program's bodies
  std::vector<Duration> cpu;       // per span, of the rank's thread (walker.h)
  std::vector<std::string> notes;  // per span, by a recorder (walker.h)
  RecordCounts records;
  Clock::time_point end;
  std::size_t peak_memory = 0;  // bytes of a device in use at once, so far
};

// Ranks that keep the same shares of the same tensors: how many, and which of them this one is.
struct CopyPlace {
  int position = 0, copies = 1;
  bool operator==(const CopyPlace&) const = default;
};

class RankExecutor {
 public:
  // Fails where the program asks for what no kernel or collective here does.
  static Result<std::unique_ptr<RankExecutor>> make(RankExecutorInput input,
                                                    kernels::Kernels& kernels,
                                                    CommunicationBackend& backend);
  // On a device, with a backend that moves its memory, and outlives it. Also fails where the
  // device does. Goes through a step alone (rehearsal.h).
  static Result<std::unique_ptr<RankExecutor>> make(RankExecutorInput input,
                                                    kernels::Device& device,
                                                    const DeviceOptions& options,
                                                    CommunicationBackend& backend);

  Result<StepReport> step(const StepInput& input, Clock::time_point origin = Clock::now());

  // Whether a step may be queued while one other is not reported.
  bool goes_ahead() const {
    return place_->on_device() && !place_->timed() && place_->recorder() == nullptr;
  }
  // The two halves of step(). After an error of either the job is ended, and both are over. `input`
  // is needed no longer than queue() takes.
  std::optional<Error> queue(const StepInput& input, Clock::time_point origin = Clock::now());
  Result<StepReport> report();  // of the oldest step that was queued and not reported

  // The sum of the losses of this rank's targets in one micro-batch, as the weights are, by forward
  // alone and without dropout; 0 on ranks without the head. All ranks together, while no step is
  // under way. Steps come out as if it had not been asked. CPU cores only: a device's memory is
  // laid out for steps.
  Result<double> forward_loss(const StepInput& input);

  // Steps are of another order of the same passes from here on: of a plan that differs in its
  // schedule and in host_net alone, whose program keeps weights, gradients and moments as they are
  // kept now. Between steps; CPU cores only. An error says what else differs; then nothing has
  // changed. The same on every rank of a job (follow_program.cpp).
  std::optional<Error> follow(const Plan& plan, Program program);
  std::optional<Error> cannot_follow(const Plan& plan, const Program& program) const;

  // Binds the steps that are queued from here on.
  void set_learning_rate(float rate) { work_->state().settings().learning_rate = rate; }
  // All weights of this rank, from files, a checkpoint, or the seed. The optimizer's moments stay
  // as they are. As with all that looks at the state: all steps were reported.
  std::optional<Error> set_weights(const Filling& how);
  std::optional<Error> draw_weights();

  const CopyPlace& copy_place() const { return copy_place_; }
  const RankExecutorInput& input() const { return input_; }
  const ParameterLayout& layout() const { return *layout_; }
  WeightStore& weights() { return *weights_; }
  TrainingState& state() { return work_->state(); }
  Replication& replication() { return work_->replication(); }
  Float8Maxima& float8_maxima() { return work_->float8_maxima(); }
  Workplace& place() { return *place_; }
  bool on_device() const { return place_->on_device(); }
  // Why no graph of a step is kept (capture.h), or nothing; how many steps were launched as one.
  const std::optional<std::string>& uncaptured() const { return uncaptured_; }
  std::int64_t launches() const { return walker_->launches(); }
  // Steps are not recorded from here on (workplace.h): what was not told of the last one.
  RecordCounts stop_recording();

 private:
  RankExecutor() = default;
  std::optional<Error> assemble(RankExecutorInput input, CommunicationBackend& backend);
  std::optional<Error> rehearse();
  std::optional<Error> attempted(const std::function<std::optional<Error>()>& walk);
  Error too_little(const MemoryFull& full) const;
  TrainingState::Residents residents() const;
  void forget_records();

  std::unique_ptr<Workplace> place_;
  RankExecutorInput input_;
  RankShape shape_;
  CopyPlace copy_place_;
  std::optional<std::string> uncaptured_;
  CommunicationBackend* backend_ = nullptr;
  std::unique_ptr<ParameterLayout> layout_;
  std::unique_ptr<WeightStore> weights_;
  std::unique_ptr<Shares> shares_;
  std::unique_ptr<RankWork> work_;
  std::unique_ptr<Walker> walker_;
  // What forward_loss() computes with; none until it is asked for.
  struct ForwardPass {
    Program program;
    ForwardBackend backend;
    std::unique_ptr<Walker> walker;
  };
  std::unique_ptr<ForwardPass> forward_;
};

}  // namespace quintet::engine
