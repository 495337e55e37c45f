#include "engine/train/training.h"

#include <chrono>
#include <memory>

#include "engine/communicator/network_communicator.h"
#include "engine/train/gemm_peak.h"
#include "engine/train/step_log.h"
#include "engine/train/training_data.h"
#include "sim/model/step_flops.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr Seconds peak_measurement{0.2};

Result<std::unique_ptr<kernels::Kernels>> kernels_of(KernelChoice choice) {
  std::unique_ptr<kernels::Kernels> made;
  switch (choice) {
    case KernelChoice::reference:
      made = kernels::reference_kernels();
      break;
    case KernelChoice::fast:
      made = kernels::fast_kernels();
      break;
    case KernelChoice::onednn:
      made = kernels::onednn_kernels();
      break;
  }
  if (!made)
    return Error{"--kernels",
                 "this build has no oneDNN (Debian: libdnnl-dev ocl-icd-opencl-dev); "
                 "use fast or reference"};
  return made;
}

UpdateRule rule_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adamw:
      return UpdateRule::adamw;
    case Optimizer::lamb:
      return UpdateRule::lamb;
    case Optimizer::sgd:
      return UpdateRule::sgd;
  }
  return UpdateRule::adamw;
}

ExecutorInput executor_input(const TrainingInputs& inputs, const TrainingOptions& options,
                             Rank rank) {
  ExecutorInput input;
  input.model = inputs.model;
  input.plan = inputs.plan;
  input.program = inputs.program;
  input.rank = rank;
  input.numerics = inputs.numerics;
  input.optimizer.rule = rule_of(inputs.plan.parallelism.optimizer);
  input.optimizer.learning_rate = options.learning_rate;
  input.optimizer.weight_decay = options.weight_decay;
  input.optimizer.maximum_norm = options.maximum_norm;
  input.initial = {options.seed, inputs.deviation};
  return input;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Training {
 public:
  Training(const TrainingInputs& inputs, const TrainingOptions& options, Transport& transport,
           const TrainingHooks& hooks)
      : inputs_(inputs), options_(options), transport_(transport), hooks_(hooks) {}

  Result<TrainingEnd> run() {
    if (const auto wrong = prepare()) return *wrong;
    for (int step = 1; step <= options_.steps; ++step) {
      const Result<GoOn> go_on = take(step);
      if (!go_on) return go_on.error();
      if (*go_on == GoOn::no && step < options_.steps) return finish(TrainingEnd::Why::interrupted);
    }
    return finish(TrainingEnd::Why::done);
  }

 private:
  bool first() const { return transport_.rank().value == 0; }

  std::optional<Error> prepare() {
    const Milliseconds within(static_cast<std::int64_t>(options_.deadline * 1e3));
    Result<BatchSampler> sampler =
        read_training_data(options_, inputs_.model, inputs_.plan.parallelism.sequence_length);
    if (!sampler) return sampler.error();
    sampler_ = std::make_unique<BatchSampler>(std::move(*sampler));
    Result<std::unique_ptr<kernels::Kernels>> kernels = kernels_of(options_.kernels);
    if (!kernels) return kernels.error();
    kernels_ = std::move(*kernels);
    auto communicator = NetworkCommunicator::make(inputs_.program, inputs_.plan.ccl, transport_,
                                                  {.within = within});
    if (!communicator) return communicator.error();
    communicator_ = std::move(*communicator);
    auto executor = RankExecutor::make(executor_input(inputs_, options_, transport_.rank()),
                                       *kernels_, *communicator_);
    if (!executor) return executor.error();
    executor_ = std::move(*executor);
    auto figures = FigureExchange::make(transport_, within);
    if (!figures) return figures.error();
    figures_ = std::move(*figures);
    return measure_peak();
  }

  // All at once: the first exchange brings the ranks together.
  std::optional<Error> measure_peak() {
    if (const auto together = figures_->exchange({}); !together) return together.error();
    RankFigures mine;
    mine.peak = gemm_peak(*kernels_, inputs_.plan.parallelism.compute_type, peak_measurement).value;
    const Result<std::vector<RankFigures>> all = figures_->exchange(mine);
    if (!all) return all.error();
    peak_ = FlopRate{combined(inputs_.program, *all, 1).peak};
    if (!first()) return std::nullopt;
    Result<StepLog> log = StepLog::open(options_.log);
    if (!log) return log.error();
    log_ = std::make_unique<StepLog>(std::move(*log));
    return log_->header(inputs_, options_, peak_);
  }

  float learning_rate(int step) const {
    if (step >= options_.warm_up) return options_.learning_rate;
    return options_.learning_rate * static_cast<float>(step) / static_cast<float>(options_.warm_up);
  }

  Result<GoOn> take(int step) {
    const Parallelism& parallelism = inputs_.plan.parallelism;
    const Clock::time_point start = Clock::now();
    const int replica = coordinate(inputs_.program.grid, transport_.rank(), Axis::data);
    const Result<StepInput> input = step_input(*sampler_, inputs_.model, parallelism, replica);
    if (!input) return input.error();
    executor_->set_learning_rate(learning_rate(step));
    const Result<StepReport> report = executor_->step(*input, start);
    if (!report) return report.error();
    sampler_->advance(global_batch(parallelism));
    RankFigures mine = figures_of(inputs_.program, transport_.rank(), *report);
    mine.go_on = hooks_.interrupted() ? GoOn::no : GoOn::yes;
    const Result<std::vector<RankFigures>> all = figures_->exchange(mine);
    if (!all) return all.error();
    const StepFigures figures = combined(inputs_.program, *all, input->targets);
    if (const auto wrong = tell(step, figures, seconds_since(start))) return *wrong;
    return figures.go_on;
  }

  std::optional<Error> tell(int step, const StepFigures& figures, double passed) {
    if (!first()) return std::nullopt;
    const Parallelism& parallelism = inputs_.plan.parallelism;
    StepRecord record;
    record.step = step;
    record.figures = figures;
    record.seconds = passed;
    record.learning_rate = static_cast<double>(learning_rate(step));
    record.tokens = std::int64_t{global_batch(parallelism)} * parallelism.sequence_length;
    const Flops work = model_flops(inputs_.model, global_batch(parallelism),
                                   parallelism.sequence_length, AttentionCount::causal_half);
    record.mfu = work / Seconds{passed} / peak_;
    hooks_.say(progress_line(record, options_.steps));
    const auto wrong = log_->step(record);
    records_.push_back(std::move(record));
    return wrong;
  }

  Result<TrainingEnd> finish(TrainingEnd::Why why) {
    if (first()) {
      const RunSummary summary = summary_of(records_);
      hooks_.say(summary_text(summary));
      if (const auto wrong = log_->summary(summary)) return *wrong;
    }
    return TrainingEnd{static_cast<int>(records_.size()), why};
  }

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  Transport& transport_;
  const TrainingHooks& hooks_;
  std::unique_ptr<BatchSampler> sampler_;
  std::unique_ptr<kernels::Kernels> kernels_;
  std::unique_ptr<NetworkCommunicator> communicator_;
  std::unique_ptr<RankExecutor> executor_;
  std::unique_ptr<FigureExchange> figures_;
  std::unique_ptr<StepLog> log_;  // rank 0
  FlopRate peak_;
  std::vector<StepRecord> records_;
};

}  // namespace

Result<TrainingEnd> train(const TrainingInputs& inputs, const TrainingOptions& options,
                          Transport& transport, const TrainingHooks& hooks) {
  Result<TrainingEnd> end = Training(inputs, options, transport, hooks).run();
  if (!end && !transport.failure()) transport.abort(end.error().text());
  return end;
}

}  // namespace quintet::engine
