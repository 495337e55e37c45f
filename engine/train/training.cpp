#include "engine/train/training.h"

#include <chrono>
#include <memory>
#include <thread>

#include "engine/communicator/network_communicator.h"
#include "engine/train/gemm_peak.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/rank_words.h"
#include "engine/train/run_state.h"
#include "engine/train/step_log.h"
#include "engine/train/step_recorder.h"
#include "engine/train/training_data.h"
#include "sim/model/step_flops.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr Seconds peak_measurement{0.2};
using Wrong = std::optional<Error>;

ExecutorInput executor_input(const TrainingInputs& inputs, const TrainingOptions& options,
                             Rank rank) {
  ExecutorInput input;
  input.model = inputs.model;
  input.plan = inputs.plan;
  input.program = inputs.program;
  input.rank = rank;
  input.numerics = inputs.numerics;
  input.optimizer.rule = update_rule(inputs.plan.parallelism.optimizer);
  input.optimizer.loss_scaling = options.loss_scaling;
  input.optimizer.weight_decay = options.weight_decay;
  input.optimizer.maximum_norm = options.maximum_norm;
  input.initial = {options.seed, inputs.deviation};
  return input;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a rank computes, communicates and keeps with; made in this order.
struct Workshop {
  std::unique_ptr<kernels::Kernels> kernels;
  std::unique_ptr<NetworkCommunicator> communicator;
  std::unique_ptr<RankExecutor> executor;
  std::unique_ptr<FigureExchange> figures;
  std::unique_ptr<RunState> state;
};

Result<Workshop> make_workshop(const TrainingInputs& inputs, const TrainingOptions& options,
                               Transport& transport) {
  const Milliseconds within(static_cast<std::int64_t>(options.deadline * 1e3));
  Workshop made;
  auto kernels = make_kernels(options.kernels, options.threads);
  if (!kernels) return kernels.error();
  made.kernels = std::move(*kernels);
  auto communicator = NetworkCommunicator::make(inputs.program, inputs.plan.ccl, transport,
                                                {.within = within, .seats = inputs.seats});
  if (!communicator) return communicator.error();
  made.communicator = std::move(*communicator);
  auto executor = RankExecutor::make(executor_input(inputs, options, transport.rank()),
                                     *made.kernels, *made.communicator);
  if (!executor) return executor.error();
  made.executor = std::move(*executor);
  auto figures = FigureExchange::make(transport, within);
  if (!figures) return figures.error();
  made.figures = std::move(*figures);
  auto state = RunState::make(inputs, options, transport);
  if (!state) return state.error();
  made.state = std::move(*state);
  return made;
}

class Training {
 public:
  Training(const TrainingInputs& inputs, const TrainingOptions& options, Transport& transport,
           const TrainingHooks& hooks)
      : inputs_(inputs),
        options_(options),
        transport_(transport),
        hooks_(hooks),
        recorder_(inputs, options, transport) {}

  Result<TrainingEnd> run();

 private:
  bool first() const { return transport_.rank().value == 0; }
  void say(const std::string& line) const {
    if (first() && !line.empty()) hooks_.say(line);
  }

  Wrong prepare();
  Wrong begin();
  Wrong measure_peak();
  Wrong open_log();
  Result<GoOn> take(int step);
  Wrong tell(StepRecord record);
  Result<TrainingEnd> finish(TrainingEnd::Why why);

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  Transport& transport_;
  const TrainingHooks& hooks_;
  StepRecorder recorder_;
  Workshop shop_;
  std::unique_ptr<BatchSampler> sampler_;
  int done_ = 0;  // steps
  FlopRate peak_;
  std::unique_ptr<StepLog> log_;  // rank 0
  std::vector<StepRecord> records_;
};

Result<TrainingEnd> Training::run() {
  if (const Wrong wrong = prepare()) return *wrong;
  while (done_ < options_.steps) {
    const Result<GoOn> go_on = take(done_ + 1);
    if (!go_on) return go_on.error();
    if (*go_on == GoOn::no && done_ < options_.steps) return finish(TrainingEnd::Why::interrupted);
  }
  return finish(TrainingEnd::Why::done);
}

Wrong Training::prepare() {
  Result<Workshop> shop = make_workshop(inputs_, options_, transport_);
  if (!shop) return shop.error();
  shop_ = std::move(*shop);
  if (Wrong wrong = begin()) return wrong;
  if (Wrong wrong = measure_peak()) return wrong;
  if (Wrong wrong = recorder_.begin()) return wrong;
  return first() ? open_log() : std::nullopt;
}

Wrong Training::begin() {
  const Result<Beginning> beginning = shop_.state->begin(*shop_.executor);
  if (!beginning) return beginning.error();
  for (const std::string& remark : beginning->remarks) say(remark);
  done_ = beginning->steps_done;
  Result<BatchSampler> sampler = read_training_data(
      options_, inputs_.model, inputs_.plan.parallelism.sequence_length, beginning->sampler);
  if (!sampler) return sampler.error();
  sampler_ = std::make_unique<BatchSampler>(std::move(*sampler));
  return std::nullopt;
}

Wrong Training::measure_peak() {
  const FlopRate of_core =
      gemm_peak(*shop_.kernels, inputs_.plan.parallelism.compute_type, peak_measurement);
  RankFigures mine;
  mine.peak =
      peak_of_rank(of_core, {usable_cores(), options_.ranks_on_host, options_.threads}).value;
  const Result<std::vector<RankFigures>> all = shop_.figures->exchange(mine);
  if (!all) return all.error();
  peak_ = FlopRate{combined(*all, 1).peak};
  return std::nullopt;
}

Wrong Training::open_log() {
  Result<StepLog> log = StepLog::open(options_.log);
  if (!log) return log.error();
  log_ = std::make_unique<StepLog>(std::move(*log));
  for (const std::string& line : header_lines(inputs_, options_, peak_)) say(line);
  return log_->header(inputs_, options_, peak_);
}

Result<GoOn> Training::take(int step) {
  const Parallelism& parallelism = inputs_.plan.parallelism;
  const Clock::time_point start = Clock::now();
  const int replica = coordinate(inputs_.program.grid, transport_.rank(), Axis::data);
  const Result<StepInput> input = step_input(*sampler_, inputs_.model, parallelism, replica);
  if (!input) return input.error();
  StepRecord record;
  record.step = step;
  record.learning_rate = learning_rate_at(options_.learning_rate, step);
  shop_.executor->set_learning_rate(static_cast<float>(record.learning_rate));
  const Clock::time_point origin = Clock::now();
  Result<StepReport> report = shop_.executor->step(*input, origin);
  if (!report) return report.error();
  done_ = step;
  sampler_->advance(global_batch(parallelism));
  record.loss_scale = report->loss_scale;
  record.updated = report->updated;
  RankFigures mine = figures_of(inputs_.program, transport_.rank(), *report);
  mine.go_on = hooks_.interrupted() ? GoOn::no : GoOn::yes;
  recorder_.record(step, origin, std::move(*report));
  const Result<std::vector<RankFigures>> all = shop_.figures->exchange(mine);
  if (!all) return all.error();
  record.figures = combined(*all, input->targets);
  if (auto wrong = shop_.state->after_step(step, *shop_.executor, sampler_->state())) return *wrong;
  record.seconds = seconds_since(start);
  if (auto wrong = tell(record)) return *wrong;
  return record.figures.go_on;
}

Wrong Training::tell(StepRecord record) {
  if (!first()) return std::nullopt;
  const Parallelism& parallelism = inputs_.plan.parallelism;
  record.tokens = std::int64_t{global_batch(parallelism)} * parallelism.sequence_length;
  const Flops work = model_flops(inputs_.model, global_batch(parallelism),
                                 parallelism.sequence_length, AttentionCount::causal_half);
  record.mfu = work / Seconds{record.seconds} / peak_;
  say(progress_line(record, options_.steps));
  records_.push_back(record);
  return log_->step(record);
}

Result<TrainingEnd> Training::finish(TrainingEnd::Why why) {
  if (const Wrong wrong = shop_.state->finish(done_, *shop_.executor, sampler_->state()))
    return *wrong;
  const auto timeline = recorder_.finish();
  if (!timeline) return timeline.error();
  if (!first()) return TrainingEnd{done_, why};
  const RunSummary summary = summary_of(records_);
  say(records_.empty() ? "Nothing to do: " + std::to_string(done_) + " steps are done."
                       : summary_text(summary));
  for (const std::string& line : *timeline) say(line);
  if (const Wrong wrong = log_->summary(summary)) return *wrong;
  return TrainingEnd{done_, why};
}

// Whoever failed ends the job in its own name; a rank that was told of it by other ways gives it a
// moment to do so.
void end_job(const Error& error, Transport& transport) {
  constexpr Milliseconds moment{2000};
  const Clock::time_point until = Clock::now() + moment;
  if (blames_another(error, transport.rank()))
    while (!transport.failure() && Clock::now() < until)
      std::this_thread::sleep_for(Milliseconds(10));
  if (!transport.failure()) transport.abort(own_words(error, transport.rank()));
}

}  // namespace

Result<TrainingEnd> train(const TrainingInputs& inputs, const TrainingOptions& options,
                          Transport& transport, const TrainingHooks& hooks) {
  Training training(inputs, options, transport, hooks);
  Result<TrainingEnd> end = training.run();
  if (!end) end_job(end.error(), transport);
  return end;
}

}  // namespace quintet::engine
