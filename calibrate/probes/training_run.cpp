#include "calibrate/probes/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "calibrate/machine/child_program.h"
#include "calibrate/machine/others_work.h"
#include "engine/files/storage/durable_file.h"
#include "engine/recording/step_capture.h"
#include "sim/base/quantile.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path with_ending(const TrainingRun& run, const char* ending) {
  fs::path file = run.files;
  return file += ending;
}

fs::path record_file(const TrainingRun& run) {
  return with_ending(run, ".steps.json");
}

Json content_of(const std::string& file) {
  const Result<std::string> text = read_text_file(file);
  return text ? json_or_null(*text) : Json();
}

// All that a run's time depends on; files by what they hold.
Json identity(const TrainingRun& run) {
  Json json{{"model", content_of(run.model)}, {"plan", content_of(run.plan)},
            {"topology", run.topology},       {"data", run.data},
            {"kernels", run.kernels},         {"steps", run.steps},
            {"warm_up", run.warm_up},         {"shaped", run.shaped}};
  if (run.processor == Processor::gpu) json["device"] = "gpu";
  return json;
}

bool on_gpu(const TrainingRun& run) {
  return run.processor == Processor::gpu;
}

// The first that counts. The first steps touch memory and open connections; those of a GPU find
// kernels and are recorded, and the one after the recorded ones still pays for the end of that.
int first_counted(const TrainingRun& run) {
  if (!on_gpu(run)) return run.warm_up + 1;
  return engine::capture_window(1, steps_asked(run)).last + 2;
}

Seconds picoseconds(const Json& json, const char* key) {
  return Seconds{json.value(key, 0.0) * 1e-12};
}

// `summary` is what ends a log.
std::optional<DeviceFigures> device_figures(const Json& summary) {
  const Json recording = summary.value("recording", Json());
  const Json memory = summary.value("memory", Json::array());
  if (!recording.is_object()) return std::nullopt;
  DeviceFigures figures;
  figures.recorded_by = recording.value("by", "");
  figures.recorded = picoseconds(recording, "with");
  figures.unrecorded = picoseconds(recording, "without");
  if (figures.unrecorded > Seconds{})
    figures.recording_cost = figures.recorded / figures.unrecorded - 1;
  for (const Json& rank : memory)
    if (const Bytes used{rank.value("peak_bytes", 0.0)}; used > figures.memory) {
      figures.memory = used;
      figures.predicted_memory = Bytes{rank.value("predicted_bytes", 0.0)};
    }
  return figures;
}

Json json_of(const DeviceFigures& figures) {
  return {
      {"recorded_by", figures.recorded_by},   {"recording_cost", figures.recording_cost},
      {"recorded_s", figures.recorded.value}, {"unrecorded_s", figures.unrecorded.value},
      {"memory", figures.memory.value},       {"predicted_memory", figures.predicted_memory.value}};
}

DeviceFigures kept_figures(const Json& json) {
  return {json.value("recorded_by", ""),          json.value("recording_cost", 0.0),
          Seconds{json.value("recorded_s", 0.0)}, Seconds{json.value("unrecorded_s", 0.0)},
          Bytes{json.value("memory", 0.0)},       Bytes{json.value("predicted_memory", 0.0)}};
}

std::optional<Error> keep(const TrainingRun& run, const MeasuredSteps& measured) {
  Json json{{"run", identity(run)}, {"others_share", measured.others}};
  for (const Seconds step : measured.steps) json["steps_s"].push_back(step.value);
  if (measured.device) json["device"] = json_of(*measured.device);
  Result<DurableFile> file = DurableFile::create(record_file(run));
  if (!file) return file.error();
  if (auto wrong = file->write(json.dump(2) + "\n")) return wrong;
  return file->finish();
}

}  // namespace

Seconds median(const MeasuredSteps& measured) {
  return quintet::median(measured.steps);
}

fs::path timeline_file(const TrainingRun& run) {
  return with_ending(run, ".measured.json");
}

bool namespaces_allowed() {
  const Result<Ended> ended =
      run_program({"unshare", "--user", "--map-root-user", "--net", "true"});
  return ended && ended->code == 0;
}

std::optional<MeasuredSteps> kept_steps(const TrainingRun& run) {
  const Json json = content_of(record_file(run).string());
  if (!json.is_object() || json.value("run", Json()) != identity(run)) return std::nullopt;
  MeasuredSteps kept;
  kept.others = json.value("others_share", 0.0);
  for (const Json& each : json.value("steps_s", Json::array()))
    if (each.is_number()) kept.steps.push_back(Seconds{each.get<double>()});
  if (const Json device = json.value("device", Json()); device.is_object())
    kept.device = kept_figures(device);
  if (kept.steps.empty() || !fs::exists(timeline_file(run))) return std::nullopt;
  return kept;
}

int steps_asked(const TrainingRun& run) {
  // The engine records half of what is left after the fourth, and one more pays for the end of it.
  return on_gpu(run) ? 4 + 2 * run.steps + 1 : run.warm_up + run.steps;
}

Result<MeasuredSteps> steps_in_log(const fs::path& log, const TrainingRun& run) {
  std::ifstream file(log);
  MeasuredSteps measured;
  for (std::string line; std::getline(file, line);) {
    const Json json = json_or_null(line);
    if (!json.is_object()) continue;
    const std::string record = json.value("record", "");
    if (record == "step" && json.value("step", 0) >= first_counted(run))
      measured.steps.push_back(Seconds{json.value("step_s", 0.0)});
    if (record == "summary" && on_gpu(run)) measured.device = device_figures(json);
  }
  if (measured.steps.empty()) return Error{log.string(), "has no steps"};
  if (on_gpu(run) && !measured.device)
    return Error{log.string(), "does not say what recording the GPU's times cost"};
  std::sort(measured.steps.begin(), measured.steps.end());
  return measured;
}

Result<MeasuredSteps> measure_steps(const TrainingRun& run) {
  const fs::path log = with_ending(run, ".jsonl");
  std::error_code ignored;
  for (const fs::path& old : {log, record_file(run)}) fs::remove(old, ignored);
  std::vector<std::string> words{beside_this_program("quintet"),
                                 "run",
                                 run.plan,
                                 "--model",
                                 run.model,
                                 "--data",
                                 run.data,
                                 run.shaped && !on_gpu(run) ? "--shape" : "--topology",
                                 run.topology,
                                 "--steps",
                                 std::to_string(steps_asked(run)),
                                 "--log",
                                 log.string(),
                                 "--timeline",
                                 timeline_file(run).string(),
                                 "--quiet"};
  if (on_gpu(run))
    words.insert(words.end(), {"--device", "gpu"});
  else
    words.insert(words.end(), {"--kernels", run.kernels});
  const OthersWork others;
  const Result<Ended> ended = run_program(words);
  if (!ended) return ended.error();
  if (ended->code != 0) return Error{"quintet run", fmt::format("ended with {}", ended->code)};
  Result<MeasuredSteps> measured = steps_in_log(log, run);
  if (!measured) return measured.error();
  measured->others = others.share();
  if (auto wrong = keep(run, *measured)) return *wrong;
  return measured;
}

}  // namespace quintet::calibrate
