#include "engine/train/training.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "engine/train/datasheet_peak.h"
#include "engine/train/failed_rank.h"
#include "engine/train/gemm_peak.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/memory_plan.h"
#include "engine/train/run_files.h"
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

RankExecutorInput executor_input(const TrainingInputs& inputs, const TrainingOptions& options,
                                 Rank rank) {
  RankExecutorInput input;
  input.model = inputs.model;
  input.plan = inputs.plan;
  input.program = inputs.program;
  input.options = inputs.compile;
  input.rank = rank;
  input.numerics = inputs.numerics;
  input.optimizer.rule = update_rule(inputs.plan.parallelism.optimizer);
  input.optimizer.loss_scaling = options.loss_scaling;
  input.optimizer.weight_decay = options.weight_decay;
  input.optimizer.maximum_norm = options.maximum_norm;
  input.initial = {options.seed, inputs.deviation};
  return input;
}

// Whether the plan's steps are launched as graphs, where they may be.
std::optional<std::string> launches_text(const TrainingInputs& inputs, const StepCapture& capture,
                                         const RankExecutor& executor) {
  const bool asked = inputs.plan.host_net.launch == Launch::graphs;
  if (!asked || !executor.on_device()) return std::nullopt;
  if (capture.by_events())
    return "Steps are launched kernel by kernel, not as graphs: events in between take their "
           "times.";
  if (executor.uncaptured())
    return "Steps are launched kernel by kernel, not as graphs: " + *executor.uncaptured() + ".";
  return "Steps are launched as graphs from the fourth on.";
}

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
  OpenRecorder recorder_opener() const;
  Wrong begin();
  Wrong measure_peak();
  Result<FlopRate> own_peak();
  RunHeader header() const { return {inputs_, options_, parts_.surroundings, peaks_}; }
  Wrong open_log();
  Result<GoOn> take(int step);
  Wrong tell(StepRecord record);
  Result<TrainingEnd> finish(TrainingEnd::Why why);

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  const RankParts& parts_;
  const TrainingHooks& hooks_;
  StepRecorder recorder_;
  StepCapture capture_;  // outlives the executor
  Workshop shop_;
  std::unique_ptr<BatchSampler> sampler_;
  int first_step_ = 1, done_ = 0;
  Peaks peaks_;
  std::size_t predicted_memory_ = 0;  // of a device
  std::unique_ptr<StepLog> log_;      // rank 0
  std::vector<StepRecord> records_;   // likewise
  std::vector<RankFigures> last_;     // of every rank
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
  if (Wrong wrong = make_kernels()) return wrong;
  if (Wrong wrong = measure_peak()) return wrong;  // while a device has its memory free
  if (Wrong wrong = make_executor()) return wrong;
  auto files = RunFiles::make(inputs_, options_, parts_.peers);
  if (!files) return files.error();
  shop_.files = std::move(*files);
  if (Wrong wrong = begin()) return wrong;
  if (Wrong wrong = recorder_.begin()) return wrong;
  return first() ? open_log() : std::nullopt;
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
  DeviceOptions device;
  device.memory =
      arena_size(predicted_memory_, *parts_.device, parts_.surroundings.ranks_per_device);
  if (!options_.timeline.empty())
    capture_ = StepCapture(open_capture(options_.capture, recorder_opener()));
  device.times = capture_.by_events();
  device.recorder = capture_.recorder();
  device.graphs = inputs_.plan.host_net.launch == Launch::graphs;
  auto made = RankExecutor::make(std::move(input), *parts_.device, device, parts_.backend);
  if (!made) return made.error();
  shop_.executor = std::move(*made);
  return std::nullopt;
}

OpenRecorder Training::recorder_opener() const {
  if (parts_.open_recorder) return parts_.open_recorder;
  return [] {
    return kernels::OpenedRecorder{
        nullptr, "what a process does is recorded as a whole, and its threads are ranks here"};
  };
}

Wrong Training::begin() {
  const Result<Beginning> beginning = shop_.files->begin(*shop_.executor);
  if (!beginning) return beginning.error();
  for (const std::string& remark : beginning->remarks) say(remark);
  done_ = beginning->steps_done;
  first_step_ = done_ + 1;
  capture_.choose(capture_window(first_step_, options_.steps));
  Result<BatchSampler> sampler = read_training_data(
      options_, inputs_.model, inputs_.plan.parallelism.sequence_length, beginning->sampler);
  if (!sampler) return sampler.error();
  sampler_ = std::make_unique<BatchSampler>(std::move(*sampler));
  return std::nullopt;
}

Result<FlopRate> Training::own_peak() try {
  const DataType type = tensor_type(inputs_.plan.parallelism.compute_type);
  if (parts_.device != nullptr) return device_gemm_peak(*parts_.device, type, peak_measurement);
  const FlopRate of_core = gemm_peak(*shop_.kernels, type, peak_measurement);
  return peak_of_rank(of_core, {usable_cores(), options_.ranks_on_host, options_.threads});
} catch (const std::runtime_error& failure) {
  return Error{"device", failure.what()};
}

Wrong Training::measure_peak() {
  RankFigures mine;
  if (parts_.surroundings.measures) {
    const Result<FlopRate> own = own_peak();
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

Result<GoOn> Training::take(int step) {
  const Parallelism& parallelism = inputs_.plan.parallelism;
  const Clock::time_point start = Clock::now();
  const int replica = coordinate(inputs_.program.grid, rank(), Axis::data);
  const Result<StepInput> input = step_input(*sampler_, inputs_.model, parallelism, replica);
  if (!input) return input.error();
  StepRecord record;
  record.step = step;
  record.learning_rate = learning_rate_at(options_.learning_rate, step);
  shop_.executor->set_learning_rate(static_cast<float>(record.learning_rate));
  capture_.before_step();
  const Clock::time_point origin = Clock::now();
  Result<StepReport> report = shop_.executor->step(*input, origin);
  if (!report) return report.error();
  done_ = step;
  sampler_->advance(global_batch(parallelism));
  record.loss_scale = report->loss_scale;
  record.updated = report->updated;
  RankFigures mine = figures_of(inputs_.program, rank(), *report);
  mine.predicted_memory = static_cast<double>(predicted_memory_);
  mine.go_on = hooks_.interrupted() ? GoOn::no : GoOn::yes;
  if (capture_.after_step({step, report->end - origin, report->records}))
    capture_.stopped(shop_.executor->stop_recording());
  if (capture_.shows(step)) recorder_.record(step, origin, std::move(*report));
  Result<std::vector<RankFigures>> all = exchanged(parts_.peers, mine);
  if (!all) return all.error();
  record.figures = combined(*all, input->targets);
  last_ = std::move(*all);
  if (auto wrong = shop_.files->after_step(step, *shop_.executor, sampler_->state())) return *wrong;
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
  record.utilisation = utilisation_of(work, Seconds{record.seconds}, peaks_);
  say(step_line(record, options_.steps));
  records_.push_back(record);
  return log_->step(record);
}

Result<TrainingEnd> Training::finish(TrainingEnd::Why why) {
  if (const Wrong wrong = shop_.files->finish(done_, *shop_.executor, sampler_->state()))
    return *wrong;
  const auto recording = whole_recording(parts_.peers, capture_.recording());
  if (!recording) return recording.error();
  const auto timeline = recorder_.finish({*recording, parts_.nccl_profile, {first_step_, done_}});
  if (!timeline) return timeline.error();
  if (!first()) return TrainingEnd{done_, why};
  RunSummary summary = summary_of(records_);
  summary.last = last_;
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
