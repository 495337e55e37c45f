#include "engine/train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <stdexcept>

#include "engine/adapt/adapting_job.h"
#include "engine/adapt/predicted_step.h"
#include "engine/executor/less_memory.h"
#include "engine/executor/thread_time.h"
#include "engine/train/datasheet_peak.h"
#include "engine/train/executor_input.h"
#include "engine/train/failed_rank.h"
#include "engine/train/gemm_peak.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/memory_plan.h"
#include "engine/train/run_files.h"
#include "engine/train/step_log.h"
#include "engine/train/step_recorder.h"
#include "engine/train/training_data.h"
#include "engine/validation/validation.h"
#include "sim/compile/step_program.h"
#include "sim/model/step_flops.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/plan/delivery.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

using Wrong = std::optional<Error>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a rank computes and keeps with; made in this order.
struct Workshop {
  std::unique_ptr<kernels::Kernels> kernels;  // null: a device's
  std::unique_ptr<RankExecutor> executor;
  std::unique_ptr<RunFiles> files;
};

class Training {
 public:
  Training(const TrainingInputs& inputs, const TrainingOptions& options, const RankParts& parts,
           const TrainingHooks& hooks)
      : inputs_(inputs),
        options_(options),
        parts_(parts),
        hooks_(hooks),
        recorder_(inputs, options, parts.peers) {}

  Result<TrainingEnd> run();

 private:
  Rank rank() const { return parts_.peers.rank(); }
  bool first() const { return rank().value == 0; }
  void say(const std::string& line) const {
    if (first() && !line.empty()) hooks_.say(line);
  }

  Wrong prepare();
  Wrong make_kernels();
  Wrong make_executor();
  Wrong make_adapting();
  Wrong begin();
  Wrong measure_peak();
  RunHeader header() const { return {inputs_, options_, parts_.surroundings, peaks_}; }
  Wrong open_log();
  // A step that was queued and not told.
  struct Pending {
    StepRecord record;
    double targets = 1;
    SampleWork work;
    Clock::time_point start, origin;
  };
  Wrong queue(int step);
  Result<GoOn> tell_oldest();
  Result<GoOn> take(int step);
  bool is_awaited(int step) const;
  Wrong validate();
  Error too_little_memory() const;
  Wrong tell(StepRecord record, const SampleWork& work);
  Result<std::vector<RankFigures>> told_figures(const RankFigures& mine, const StepReport& report);
  Wrong adapt();
  Result<Seconds> predicted_step_of(const Plan& plan, const PipelineState& state) const;
  Result<TrainingEnd> finish(TrainingEnd::Why why);

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  const RankParts& parts_;
  const TrainingHooks& hooks_;
  StepRecorder recorder_;
  StepCapture capture_;  // outlives the executor
  Workshop shop_;
  std::unique_ptr<BatchSampler> sampler_;
  std::optional<Validation> validation_;
  PredictStep predict_;                    // of any plan; empty: the plan stays
  std::unique_ptr<AdaptingJob> adapting_;  // null: likewise
  std::vector<ToldPass> passes_;           // of all ranks in the step before
  std::string stage_;  // what is being built or done, for whoever runs out of memory
  int first_step_ = 1, done_ = 0;
  std::deque<Pending> pending_;
  Clock::time_point told_{};  // when the last step was over
  Duration used_{};           // of processors, by this process until then
  Peaks peaks_;
  std::size_t predicted_memory_ = 0;         // of a device
  std::unique_ptr<StepLog> log_;             // rank 0
  std::vector<StepRecord> records_;          // likewise
  std::vector<ValidationLoss> validations_;  // likewise
  std::vector<RankFigures> last_;            // of every rank
};

Result<TrainingEnd> Training::run() try {
  if (const Wrong wrong = prepare()) return *wrong;
  while (done_ < options_.steps) {
    const Result<GoOn> go_on = take(done_ + static_cast<int>(pending_.size()) + 1);
    if (!go_on) return go_on.error();
    if (*go_on == GoOn::no && done_ < options_.steps) return finish(TrainingEnd::Why::interrupted);
  }
  return finish(TrainingEnd::Why::done);
} catch (const std::bad_alloc&) {
  return too_little_memory();
}

Error Training::too_little_memory() const {
  const Parallelism& parallelism = inputs_.plan.parallelism;
  const std::string less =
      parts_.device == nullptr ? less_on_cores(parallelism) : less_on_host(parallelism);
  return error_of(rank(), {"", fmt::format("out of memory: there is none left for {}. Less is "
                                           "needed with {}",
                                           stage_, less)});
}

Wrong Training::prepare() {
  stage_ = "kernels";
  if (Wrong wrong = make_kernels()) return wrong;
  stage_ = "measuring what the kernels reach";
  if (Wrong wrong = measure_peak()) return wrong;  // while a device has its memory free
  stage_ = "weights, gradients and the optimizer's moments";
  if (Wrong wrong = make_executor()) return wrong;
  if (Wrong wrong = make_adapting()) return wrong;
  auto files = RunFiles::make(inputs_, options_, parts_.peers);
  if (!files) return files.error();
  shop_.files = std::move(*files);
  if (Wrong wrong = begin()) return wrong;
  if (Wrong wrong = recorder_.begin()) return wrong;
  used_ = process_time();
  if (!first()) return std::nullopt;
  if (Wrong wrong = open_log()) return wrong;
  if (options_.beginning == TrainingOptions::Beginning::said) say(beginning_line(first_step_));
  return std::nullopt;
}

Wrong Training::make_kernels() {
  if (parts_.device != nullptr) return std::nullopt;
  auto kernels = engine::make_kernels(options_.kernels, options_.threads);
  if (!kernels) return kernels.error();
  shop_.kernels = std::move(*kernels);
  return std::nullopt;
}

Wrong Training::make_executor() {
  RankExecutorInput input = executor_input(inputs_, options_, rank());
  if (parts_.device == nullptr) {
    auto made = RankExecutor::make(std::move(input), *shop_.kernels, parts_.backend);
    if (!made) return made.error();
    shop_.executor = std::move(*made);
    return std::nullopt;
  }
  predicted_memory_ = predicted_memory(inputs_, rank());
  if (!options_.timeline.empty())
    capture_ = StepCapture(open_capture(options_.capture, recorder_of(parts_.open_recorder)));
  DeviceOptions device = device_options(inputs_, options_, capture_);
  device.memory =
      arena_size(predicted_memory_, *parts_.device, parts_.surroundings.ranks_per_device);
  auto made = RankExecutor::make(std::move(input), *parts_.device, device, parts_.backend);
  if (!made) return made.error();
  shop_.executor = std::move(*made);
  return std::nullopt;
}

Wrong Training::begin() {
  stage_ = "the first weights, or those of a checkpoint";
  const Result<Beginning> beginning = shop_.files->begin(*shop_.executor);
  if (!beginning) return beginning.error();
  for (const std::string& remark : beginning->remarks) say(remark);
  done_ = beginning->steps_done;
  first_step_ = done_ + 1;
  capture_.choose(capture_window(first_step_, options_.steps));
  stage_ = "the tokens of the data";
  Result<BatchSampler> sampler =
      read_training_data(options_, inputs_.model, inputs_.plan.parallelism, beginning->sampler);
  if (!sampler) return sampler.error();
  sampler_ = std::make_unique<BatchSampler>(std::move(*sampler));
  if (!options_.validation.on()) return std::nullopt;
  Result<BatchSampler> aside =
      read_validation_data(options_, inputs_.model, inputs_.plan.parallelism.sequence_length);
  if (!aside) return aside.error();
  validation_.emplace(std::move(*aside), options_.validation.sequences,
                      Validation::When{options_.validation.every, options_.steps}, parts_.peers);
  return std::nullopt;
}

Wrong Training::measure_peak() {
  RankFigures mine;
  if (parts_.surroundings.measures) {
    const DataType measured = tensor_type(inputs_.plan.parallelism.compute_type);
    const Result<FlopRate> own =
        peak_of_rank({parts_.device, shop_.kernels.get(), measured},
                     {usable_cores(), options_.ranks_on_host, options_.threads});
    if (!own) return own.error();
    mine.peak = own->value * parts_.surroundings.measured_for;
    mine.datasheet_peak =
        datasheet_peak(parts_.surroundings.device, inputs_.plan.parallelism.compute_type)
            .value_or(FlopRate{})
            .value;
  }
  const Result<std::vector<RankFigures>> all = exchanged(parts_.peers, mine);
  if (!all) return all.error();
  const StepFigures whole = combined(*all, 1);
  peaks_ = {FlopRate{whole.peak}, FlopRate{whole.datasheet_peak}};
  return std::nullopt;
}

Wrong Training::open_log() {
  Result<StepLog> log = StepLog::open(options_.log);
  if (!log) return log.error();
  log_ = std::make_unique<StepLog>(std::move(*log));
  for (const std::string& line : header_lines(header())) say(line);
  if (const auto text = launches_text(inputs_, capture_, *shop_.executor)) say(*text);
  return log_->header(header());
}

// A step is told while the device does the next one, unless something depends on what it came to,
// or on the state that it left.
Result<GoOn> Training::take(int step) {
  if (const Wrong wrong = queue(step)) return *wrong;
  const std::size_t left = shop_.executor->goes_ahead() && !is_awaited(step) ? 1 : 0;
  GoOn go_on = GoOn::yes;
  while (pending_.size() > (go_on == GoOn::yes ? left : 0)) {
    const Result<GoOn> told = tell_oldest();
    if (!told) return told.error();
    if (*told == GoOn::no) go_on = GoOn::no;
  }
  return go_on;
}

bool Training::is_awaited(int step) const {
  return step == options_.steps || shop_.files->saves_after(step) ||
         (validation_ && validation_->is_due(step));
}

Wrong Training::validate() {
  if (!validation_ || !validation_->is_due(done_)) return std::nullopt;
  stage_ = fmt::format("the activations of validation after step {}", done_);
  const Result<ValidationLoss> found = validation_->loss(done_, *shop_.executor);
  if (!found) return found.error();
  told_ = Clock::now();  // it is no part of the next step
  used_ = process_time();
  if (!first()) return std::nullopt;
  say(validation_line(*found));
  validations_.push_back(*found);
  return log_->validation(*found);
}

Wrong Training::queue(int step) {
  stage_ = fmt::format("the activations of step {}", step);
  Pending pending;
  pending.start = Clock::now();
  const int replica = coordinate(inputs_.program.grid, rank(), Axis::data);
  const Parallelism& parallelism = inputs_.plan.parallelism;
  const Result<StepInput> input = step_input(*sampler_, inputs_.model, parallelism, replica);
  if (!input) return input.error();
  pending.targets = input->targets;
  pending.work = input->work;
  pending.record.step = step;
  pending.record.learning_rate = learning_rate_at(options_.learning_rate, step);
  shop_.executor->set_learning_rate(static_cast<float>(pending.record.learning_rate));
  capture_.before_step();
  pending.origin = Clock::now();
  if (auto wrong = shop_.executor->queue(*input, pending.origin)) return wrong;
  sampler_->advance(global_batch(parallelism));
  pending_.push_back(std::move(pending));
  return std::nullopt;
}

Result<GoOn> Training::tell_oldest() {
  Result<StepReport> report = shop_.executor->report();
  if (!report) return report.error();
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  StepRecord& record = pending.record;
  done_ = record.step;
  record.loss_scale = report->loss_scale;
  record.updated = report->updated;
  RankFigures mine = figures_of(shop_.executor->input().program, rank(), *report);
  mine.predicted_memory = static_cast<double>(predicted_memory_);
  const Duration used = process_time();
  mine.processors = seconds(used - std::exchange(used_, used)).value;
  mine.go_on = hooks_.interrupted() ? GoOn::no : GoOn::yes;
  if (capture_.after_step({done_, report->end - pending.origin, report->records}))
    capture_.stopped(shop_.executor->stop_recording());
  Result<std::vector<RankFigures>> all = told_figures(mine, *report);
  if (!all) return all.error();
  if (capture_.shows(done_))
    recorder_.record(done_, pending.origin, processors_of(*all), std::move(*report));
  record.figures = combined(*all, pending.targets);
  last_ = std::move(*all);
  if (auto wrong = shop_.files->after_step(done_, *shop_.executor, sampler_->state()))
    return *wrong;
  record.seconds = seconds_since(std::max(pending.start, told_));
  told_ = Clock::now();
  if (auto wrong = tell(record, pending.work)) return *wrong;
  if (auto wrong = adapt()) return *wrong;
  if (auto wrong = validate()) return *wrong;
  return record.figures.go_on;
}

Wrong Training::make_adapting() {
  if (!options_.adapting.on) return std::nullopt;
  Result<PredictStep> predict =
      predicted_step(inputs_.model, inputs_.topology, inputs_.compile, options_.adapting.costs);
  if (!predict) return predict.error();
  predict_ = *std::move(predict);
  const bool threads = options_.ranks == RankKind::threads;
  adapting_ = std::make_unique<AdaptingJob>(
      inputs_.plan,
      [this](const Plan& plan, const PipelineState& state) {
        return predicted_step_of(plan, state);
      },
      CandidateLimits{threads ? 0 : delegates_at_hand(inputs_.plan)});
  return std::nullopt;
}

// A plan that ranks cannot go over to is no candidate: on all of them alike.
Result<Seconds> Training::predicted_step_of(const Plan& plan, const PipelineState& state) const {
  const Program program = step_program(inputs_.model, plan, inputs_.topology, inputs_.compile);
  if (auto wrong = shop_.executor->cannot_follow(plan, program)) return *wrong;
  return predict_(plan, state);
}

Result<std::vector<RankFigures>> Training::told_figures(const RankFigures& mine,
                                                        const StepReport& report) {
  if (!adapting_) return exchanged(parts_.peers, mine);
  const std::vector<ToldPass> passes =
      told_passes(shop_.executor->input().program, report.spans, adapting_->told());
  Result<ToldStep> told = exchanged(parts_.peers, mine, passes);
  if (!told) return told.error();
  passes_ = std::move(told->passes);
  return std::move(told->figures);
}

// The same on every rank: by what all of them were told.
Wrong Training::adapt() {
  if (!adapting_) return std::nullopt;
  const Result<Adaptation> next = adapting_->after_step(shop_.executor->input().program, passes_);
  if (!next) return next.error();
  if (!next->changed) return std::nullopt;
  stage_ = "another order of the step's passes";
  Program program = step_program(inputs_.model, next->plan, inputs_.topology, inputs_.compile);
  if (auto wrong = shop_.executor->follow(next->plan, std::move(program))) return wrong;
  recorder_.follow(shop_.executor->input().program);
  parts_.backend.set_delegates(stage_delegates(next->plan));
  if (!first()) return std::nullopt;
  say(adaptation_line(*next));
  return log_->plan(done_, *next);
}

Wrong Training::tell(StepRecord record, const SampleWork& samples) {
  if (!first()) return std::nullopt;
  const Parallelism& parallelism = inputs_.plan.parallelism;
  record.tokens = std::int64_t{global_batch(parallelism)} * parallelism.sequence_length;
  Flops work = model_flops(inputs_.model, global_batch(parallelism), parallelism.sequence_length,
                           AttentionCount::causal_half);
  if (parallelism.samples.vary()) {
    record.tokens = samples.tokens;
    work = model_flops(inputs_.model, samples, AttentionCount::causal_half);
  }
  record.utilisation = utilisation_of(work, Seconds{record.seconds}, peaks_);
  say(step_line(record, options_.steps));
  records_.push_back(record);
  return log_->step(record);
}

Result<TrainingEnd> Training::finish(TrainingEnd::Why why) {
  stage_ = "what is written at the end";
  if (const Wrong wrong = shop_.files->finish(done_, *shop_.executor, sampler_->state()))
    return *wrong;
  const auto recording = whole_recording(parts_.peers, capture_.recording());
  if (!recording) return recording.error();
  const auto timeline = recorder_.finish({*recording, parts_.nccl_profile, {first_step_, done_}});
  if (!timeline) return timeline.error();
  if (!first()) return TrainingEnd{done_, why};
  RunSummary summary = summary_of(records_);
  summary.last = last_;
  if (!validations_.empty()) summary.validation = validations_.back();
  say(records_.empty() ? fmt::format("Nothing to do: {} steps are done.", done_)
                       : summary_text(summary));
  say(memory_text(last_));
  if (parts_.device != nullptr) summary.attention = parts_.device->properties().attention;
  if (!summary.attention.empty()) say("Attention of " + summary.attention + ".");
  for (const std::string& line : *timeline) say(line);
  summary.recording = *recording;
  if (const Wrong wrong = log_->summary(summary)) return *wrong;
  return TrainingEnd{done_, why};
}

}  // namespace

Result<TrainingEnd> train(const TrainingInputs& inputs, const TrainingOptions& options,
                          const RankParts& rank, const TrainingHooks& hooks) {
  Training training(inputs, options, rank, hooks);
  Result<TrainingEnd> end = training.run();
  if (!end) end_job(end.error(), rank.peers);
  return end;
}

}  // namespace quintet::engine
