#include "calibrate/training_run.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "calibrate/child_program.h"
#include "calibrate/others_work.h"
#include "engine/storage/durable_file.h"
#include "sim/json_fields.h"

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
  return text ? Json::parse(*text, nullptr, false) : Json();
}

// All that a run's time depends on; files by what they hold.
Json identity(const TrainingRun& run) {
  return {{"model", content_of(run.model)}, {"plan", content_of(run.plan)},
          {"topology", run.topology},       {"data", run.data},
          {"kernels", run.kernels},         {"steps", run.steps},
          {"warm_up", run.warm_up},         {"shaped", run.shaped}};
}

// Of every step but the first ones, which touch memory and open connections.
Result<std::vector<Seconds>> steps_of(const fs::path& log, int warm_up) {
  std::ifstream file(log);
  std::vector<Seconds> steps;
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.value("record", "") == "step" && warm_up-- <= 0)
      steps.push_back(Seconds{json.value("step_s", 0.0)});
  }
  if (steps.empty()) return Error{log.string(), "has no steps"};
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::optional<Error> keep(const TrainingRun& run, const MeasuredSteps& measured) {
  Json json{{"run", identity(run)}, {"others_share", measured.others}};
  for (const Seconds step : measured.steps) json["steps_s"].push_back(step.value);
  Result<DurableFile> file = DurableFile::create(record_file(run));
  if (!file) return file.error();
  if (auto wrong = file->write(json.dump(2) + "\n")) return wrong;
  return file->finish();
}

}  // namespace

Seconds median(const MeasuredSteps& measured) {
  const std::vector<Seconds>& steps = measured.steps;
  const std::size_t half = steps.size() / 2;
  return steps.size() % 2 == 1 ? steps[half] : 0.5 * (steps[half - 1] + steps[half]);
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
  if (kept.steps.empty() || !fs::exists(timeline_file(run))) return std::nullopt;
  return kept;
}

Result<MeasuredSteps> measure_steps(const TrainingRun& run) {
  const fs::path log = with_ending(run, ".jsonl");
  std::error_code ignored;
  for (const fs::path& old : {log, record_file(run)}) fs::remove(old, ignored);
  const OthersWork others;
  const Result<Ended> ended =
      run_program({beside_this_program("quintet"), "run", run.plan, "--model", run.model, "--data",
                   run.data, run.shaped ? "--shape" : "--topology", run.topology, "--steps",
                   std::to_string(run.warm_up + run.steps), "--kernels", run.kernels, "--log",
                   log.string(), "--timeline", timeline_file(run).string()});
  if (!ended) return ended.error();
  if (ended->code != 0) return Error{"quintet run", "ended with " + std::to_string(ended->code)};
  Result<std::vector<Seconds>> steps = steps_of(log, run.warm_up);
  if (!steps) return steps.error();
  MeasuredSteps measured{std::move(*steps), others.share()};
  if (auto wrong = keep(run, measured)) return *wrong;
  return measured;
}

}  // namespace quintet::calibrate
