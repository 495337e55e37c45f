#include "engine/train/step_log.h"

#include <fmt/format.h>

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "engine/train/kernel_choice.h"
#include "sim/base/quantile.h"
#include "sim/explain/recording_text.h"
#include "sim/json/json_value.h"
#include "sim/model/parameters.h"
#include "sim/plan/plan_file.h"

namespace quintet::engine {

namespace {

using Json = JsonValue;

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

Json machine() {
  utsname names{};
  uname(&names);
  return {{"host", names.nodename},
          {"kernel", std::string(names.sysname) + " " + names.release},
          {"architecture", names.machine},
          {"cores", std::thread::hardware_concurrency()}};
}

Json deviations(const TrainingInputs& inputs) {
  Json list = Json::array();
  for (const PlanDeviation& each : inputs.deviations)
    list.push_back({{"decision", each.decision}, {"asked", each.asked}, {"done", each.done}});
  return list;
}

// Which NCCL's tables a plan has where it says nothing is no decision of its: ranks without NCCL
// are expected to do without, and the log has it all the same.
bool was_chosen(const PlanDeviation& deviation, const Plan& plan) {
  return deviation.decision != "ccl.tuner" || plan.ccl.tuner != Ccl{}.tuner;
}

double rate(const StepRecord& record) {
  return static_cast<double>(record.tokens) / record.seconds;
}

// As sim/model/step_flops.h counts under causal_half.
std::string formula(const Model& model) {
  return fmt::format(
      "model FLOPs (6 for each token and weight of a product, the vocabulary not padded; {} layers "
      "x width x length for each token's attention)",
      model.mask == MaskKind::causal ? 6 : 12);
}

std::string peak_line(const RunHeader& header) {
  const Peaks& peaks = header.peaks;
  const std::string mfu = formula(header.inputs.model);
  if (header.surroundings.processor != Processor::gpu)
    return fmt::format(
        "MFU: {} against what the {} kernels reach on the cores that the ranks share: {:.1f} "
        "GFLOP/s.",
        mfu, name_of(header.options.kernels), peaks.measured.value / 1e9);
  const double measured = peaks.measured.value / 1e12;
  if (peaks.datasheet.value <= 0)
    return fmt::format("MFU: {} against what matrix products reach on the GPUs: {:.1f} TFLOP/s.",
                       mfu, measured);
  return fmt::format(
      "MFU: {} against the dense peak by NVIDIA's datasheet: {:.1f} TFLOP/s; beside it against "
      "what matrix products reach on the GPUs: {:.1f} TFLOP/s.",
      mfu, peaks.datasheet.value / 1e12, measured);
}

Json place(const Surroundings& surroundings) {
  const MeaningOfTimes times = meaning_of_times(surroundings);
  return {{"processor", name_of(surroundings.processor)},
          {"device", surroundings.device},
          {"libraries", surroundings.libraries},
          {"ranks_are", name_of(surroundings.ranks)},
          {"ranks_per_device", surroundings.ranks_per_device},
          {"collectives_by", name_of(surroundings.backends.collectives)},
          {"messages_by", name_of(surroundings.backends.messages)},
          {"times_hold",
           {{"kernels", times.kernels},
            {"communication", times.communication},
            {"steps", times.steps},
            {"why_not", times.why_not}}}};
}

// Bytes of every rank's device; nothing where there are none.
Json memory(const std::vector<RankFigures>& ranks) {
  Json list = Json::array();
  for (const RankFigures& rank : ranks)
    if (rank.memory > 0)
      list.push_back({{"rank", list.size()},
                      {"peak_bytes", static_cast<std::int64_t>(rank.memory)},
                      {"predicted_bytes", static_cast<std::int64_t>(rank.predicted_memory)}});
  return list;
}

}  // namespace

std::vector<std::string> header_lines(const RunHeader& header) {
  const TrainingInputs& inputs = header.inputs;
  const Parallelism& parallelism = inputs.plan.parallelism;
  const int ranks = world_size(parallelism);
  std::vector<std::string> lines{fmt::format(
      "{}, {} parameters, by plan {} on {}{}{} sequences of {} tokens a step.", inputs.model.name,
      total_parameters(inputs.model), inputs.plan.name, ranks,
      ranks == 1 ? " rank: " : " ranks: ", global_batch(parallelism), parallelism.sequence_length)};
  for (const std::string& line : place_lines(header.surroundings, ranks)) lines.push_back(line);
  lines.push_back(peak_line(header));
  for (const PlanDeviation& each : inputs.deviations)
    if (was_chosen(each, inputs.plan))
      lines.push_back("Not as planned: " + each.decision + " is " + each.asked + ", but " +
                      each.done + ".");
  return lines;
}

Utilisation utilisation_of(Flops work, Seconds step, const Peaks& peaks) {
  Utilisation made;
  made.of_measured = work / step / peaks.measured;
  if (peaks.datasheet.value > 0) made.of_datasheet = work / step / peaks.datasheet;
  return made;
}

std::string step_line(const StepRecord& record, int last_step) {
  const StepFigures& figures = record.figures;
  const int width = static_cast<int>(std::to_string(last_step).size());
  std::string line =
      formatted("step %*d/%d  loss %.4f", width, record.step, last_step, figures.loss);
  if (figures.gradient_norm > 0) line += formatted("  norm %.3f", figures.gradient_norm);
  if (record.loss_scale != 1) line += formatted("  scale %g", record.loss_scale);
  if (!record.updated) line += " overflowed: no update";
  line += formatted("  rate %.2e  %.1f ms  %.0f tokens/s  MFU %.1f %%", record.learning_rate,
                    record.seconds * 1e3, rate(record), record.utilisation.mfu() * 100);
  if (record.utilisation.of_datasheet > 0)
    line += formatted(" (%.1f %% of products)", record.utilisation.of_measured * 100);
  if (figures.has_shares)
    line += formatted("  exposed communication %.1f %%", figures.exposed_share * 100);
  return line;
}

std::optional<int> step_of_line(const std::string& line) {
  int step = 0, of = 0;
  if (std::sscanf(line.c_str(), "step %d/%d", &step, &of) != 2) return std::nullopt;
  return step;
}

std::string beginning_line(int step) {
  return fmt::format("Step {} begins.", step);
}

std::optional<int> beginning_of_line(const std::string& line) {
  int step = 0;
  if (std::sscanf(line.c_str(), "Step %d begins", &step) != 1) return std::nullopt;
  return step;
}

RunSummary summary_of(const std::vector<StepRecord>& records) {
  RunSummary summary;
  summary.steps = static_cast<int>(records.size());
  if (records.empty()) return summary;
  summary.first_loss = records.front().figures.loss;
  summary.last_loss = records.back().figures.loss;
  std::vector<double> times;
  for (const StepRecord& record : records) times.push_back(record.seconds);
  summary.median_seconds = upper_median(std::move(times));
  summary.tokens_per_second = static_cast<double>(records.front().tokens) / summary.median_seconds;
  return summary;
}

std::string summary_text(const RunSummary& summary) {
  return formatted("Loss %.4f -> %.4f in %d steps; median step %.1f ms, %.0f tokens/s.",
                   summary.first_loss, summary.last_loss, summary.steps,
                   summary.median_seconds * 1e3, summary.tokens_per_second);
}

Result<StepLog> StepLog::open(const std::filesystem::path& file) {
  StepLog log;
  log.file_ = file.string();
  if (file.empty()) return log;
  // Emptied, then added to: whoever injects faults adds records of its own.
  { const std::ofstream emptied(file, std::ios::trunc); }
  log.out_.open(file, std::ios::app);
  if (!log.out_) return Error{file.string(), "cannot be written"};
  return log;
}

std::optional<Error> StepLog::line(const std::string& text) {
  if (!out_.is_open()) return std::nullopt;
  out_ << text << '\n' << std::flush;
  if (!out_) return Error{file_, "cannot be written to any more"};
  return std::nullopt;
}

std::optional<Error> StepLog::header(const RunHeader& header) {
  const auto& [inputs, options, surroundings, peaks] = header;
  const Parallelism& parallelism = inputs.plan.parallelism;
  Json json{
      {"record", "run"},
      {"schema_version", 1},
      {"plan", Json::parse(plan_text(inputs.plan))},
      {"model", {{"name", inputs.model.name}, {"parameters", total_parameters(inputs.model)}}},
      {"ranks", world_size(parallelism)},
      {"sequences_per_step", global_batch(parallelism)},
      {"steps", options.steps},
      {"seed", options.seed},
      {"kernels", name_of(options.kernels)},
      {"machine", machine()},
      {"place", place(surroundings)},
      {"not_obeyed", deviations(inputs)},
      {"measured_peak_flops", peaks.measured.value}};
  if (peaks.datasheet.value > 0) json["datasheet_peak_flops"] = peaks.datasheet.value;
  return line(json.dump());
}

std::optional<Error> StepLog::step(const StepRecord& record) {
  const StepFigures& figures = record.figures;
  Json json{{"record", "step"},
            {"step", record.step},
            {"loss", figures.loss},
            {"gradient_norm", figures.gradient_norm},
            {"learning_rate", record.learning_rate},
            {"loss_scale", record.loss_scale},
            {"updated", record.updated},
            {"step_s", record.seconds},
            {"tokens_per_s", rate(record)},
            {"mfu", record.utilisation.mfu()},
            {"share_of_measured_peak", record.utilisation.of_measured}};
  if (figures.has_shares)
    json.update({{"compute_share", figures.compute_share},
                 {"exposed_communication_share", figures.exposed_share},
                 {"waiting_share", figures.waiting_share},
                 {"bubble_share", figures.bubble_share}});
  return line(json.dump());
}

std::optional<Error> StepLog::validation(const ValidationLoss& found) {
  const Json json{{"record", "validation"},   {"step", found.step},
                  {"loss", found.loss},       {"sequences", found.sequences},
                  {"targets", found.targets}, {"seconds", found.seconds}};
  return line(json.dump());
}

std::optional<Error> StepLog::plan(int step, const Adaptation& next) {
  Json tried = Json::array(), late = Json::array();
  for (const Tried& each : next.tried)
    tried.push_back({{"name", each.name}, {"step_s", each.step.value}});
  for (const Seconds delay : delays(next.believed.watch)) late.push_back(delay.value);
  const Json json{
      {"record", "plan"},  {"after_step", step},
      {"name", next.name}, {"late_s", late},
      {"tried", tried},    {"back_from", next.back ? Json(next.back->from) : Json(nullptr)}};
  return line(json.dump());
}

std::optional<Error> StepLog::summary(const RunSummary& summary) {
  Json json{{"record", "summary"},
            {"steps", summary.steps},
            {"first_loss", summary.first_loss},
            {"last_loss", summary.last_loss},
            {"median_step_s", summary.median_seconds},
            {"tokens_per_s", summary.tokens_per_second}};
  if (const Json used = memory(summary.last); !used.empty()) json["memory"] = used;
  if (summary.validation) json["validation_loss"] = summary.validation->loss;
  if (!summary.attention.empty()) json["attention"] = summary.attention;
  if (summary.recording) json["recording"] = Json::parse(recording_json(*summary.recording));
  return line(json.dump());
}

}  // namespace quintet::engine
