#include "calibrate/loop/loop_run.h"

#include <fmt/format.h>

#include <fstream>

#include "calibrate/machine/child_program.h"
#include "calibrate/probes/predicted_step.h"
#include "sim/json/json_fields.h"

namespace quintet::calibrate {
namespace {

using Json = nlohmann::json;

// What the comparison puts first, with what it is about: "network data", "operators mlp_up",
// "rank 2".
std::string cause_in(const Json& json) {
  const Json causes = json.is_object() ? json.value("causes", Json::array()) : Json::array();
  if (causes.empty() || !causes[0].is_object()) return "";
  std::string word = causes[0].value("cause", "");
  for (const char* about : {"axis", "operator"})
    if (causes[0].contains(about) && causes[0][about].is_string())
      word += " " + causes[0][about].get<std::string>();
  if (word == "rank" && causes[0].contains("rank")) word += " " + dumped(causes[0]["rank"]);
  if (word == "host") word += " " + causes[0].value("host", "");
  return word;
}

// Keeps the comparison beside the run's files.
Result<std::string> cause_of(const TrainingRun& run, const std::filesystem::path& predicted) {
  const Result<Ended> ended =
      run_program({beside_this_program("quintet"), "compare", predicted.string(),
                   timeline_file(run).string(), "--json"});
  if (!ended) return ended.error();
  if (ended->code != 0) return Error{"quintet compare", fmt::format("ended with {}", ended->code)};
  std::ofstream(run.files.string() + ".compared.json") << ended->output;
  return cause_in(json_or_null(ended->output));
}

}  // namespace

Result<LoopRow> compared_row(const LoopCase& what, const MeasuredSteps& measured) {
  const std::filesystem::path timeline = what.run.files.string() + ".predicted.json";
  const Result<PredictedStep> predicted =
      predicted_step({what.run.model, what.run.plan, what.run.topology, what.costs, timeline});
  if (!predicted) return predicted.error();
  const Result<std::string> cause = cause_of(what.run, timeline);
  if (!cause) return cause.error();
  LoopRow row;
  row.model = what.model_name;
  row.plan = what.plan_name;
  row.predicted = predicted->step;
  row.interval = predicted->interval;
  row.measured = median(measured);
  row.least = measured.steps.front();
  row.most = measured.steps.back();
  row.others = measured.others;
  row.cause = *cause;
  row.device = measured.device;
  row.predicted_trace = timeline;
  row.measured_trace = timeline_file(what.run);
  return row;
}

}  // namespace quintet::calibrate
