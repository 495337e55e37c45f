#include "calibrate/loop_run.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "calibrate/child_program.h"

namespace quintet::calibrate {
namespace {

using Json = nlohmann::json;

std::string quintet() {
  return beside_this_program("quintet");
}

Result<std::string> output_of(const std::vector<std::string>& words) {
  const Result<Ended> ended = run_program(words);
  if (!ended) return ended.error();
  if (ended->code != 0)
    return Error{"quintet " + words[1], "ended with " + std::to_string(ended->code)};
  return ended->output;
}

Error unexpected(const std::string& who) {
  return {who, "did not print what this program expects; are both of the same build?"};
}

struct Files {
  std::string predicted, measured, log, compared;
};

Files files_of(const LoopCase& what, const LoopPlace& place) {
  const std::string begin = (place.folder / (what.model_name + "-" + what.plan_name)).string();
  return {begin + ".predicted.json", begin + ".measured.json", begin + ".jsonl",
          begin + ".compared.json"};
}

std::optional<Error> predict(const LoopCase& what, const LoopPlace& place, const Files& files,
                             LoopRow& row) {
  const auto said = output_of({quintet(), "simulate", what.plan_file, "--model", what.model_file,
                               "--topology", place.topology, "--costs", place.costs, "--json",
                               "--quiet", "--trace", files.predicted});
  if (!said) return said.error();
  const Json json = Json::parse(*said, nullptr, false);
  const Json summary = json.is_object() ? json.value("summary", Json::array()) : Json::array();
  if (summary.empty() || !summary[0].contains("step_s")) return unexpected("quintet simulate");
  row.predicted = Seconds{summary[0]["step_s"].get<double>()};
  const Json intervals = json.value("intervals", Json::array());
  if (!intervals.empty() && intervals[0].value("known_share", 0.0) > 0)
    row.interval = StepInterval{Seconds{intervals[0].value("low_s", 0.0)},
                                Seconds{intervals[0].value("high_s", 0.0)}};
  return std::nullopt;
}

// Of every step but the first ones, which touch memory and open connections.
Result<std::vector<Seconds>> steps_of(const std::string& log, int warm_up) {
  std::ifstream file(log);
  std::vector<Seconds> steps;
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.value("record", "") == "step" && warm_up-- <= 0)
      steps.push_back(Seconds{json.value("step_s", 0.0)});
  }
  if (steps.empty()) return Error{log, "has no steps"};
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::optional<Error> measure(const LoopCase& what, const LoopPlace& place, const Files& files,
                             LoopRow& row) {
  std::error_code ignored;
  std::filesystem::remove(files.log, ignored);
  const auto said =
      output_of({quintet(), "run", what.plan_file, "--model", what.model_file, "--data", place.data,
                 place.shaped ? "--shape" : "--topology", place.topology, "--steps",
                 std::to_string(place.warm_up + place.steps), "--kernels", place.kernels, "--log",
                 files.log, "--timeline", files.measured});
  if (!said) return said.error();
  const Result<std::vector<Seconds>> steps = steps_of(files.log, place.warm_up);
  if (!steps) return steps.error();
  const std::size_t half = steps->size() / 2;
  row.measured =
      steps->size() % 2 == 1 ? (*steps)[half] : 0.5 * ((*steps)[half - 1] + (*steps)[half]);
  row.least = steps->front();
  row.most = steps->back();
  return std::nullopt;
}

// What the comparison puts first, with what it is about: "network data", "operators mlp_up".
std::string cause_in(const Json& json) {
  const Json causes = json.is_object() ? json.value("causes", Json::array()) : Json::array();
  if (causes.empty() || !causes[0].is_object()) return "";
  std::string word = causes[0].value("cause", "");
  for (const char* about : {"axis", "operator"})
    if (causes[0].contains(about) && causes[0][about].is_string())
      word += " " + causes[0][about].get<std::string>();
  return word;
}

std::optional<Error> compare(const Files& files, LoopRow& row) {
  const auto said = output_of({quintet(), "compare", files.predicted, files.measured, "--json"});
  if (!said) return said.error();
  std::ofstream(files.compared) << *said;
  row.cause = cause_in(Json::parse(*said, nullptr, false));
  return std::nullopt;
}

}  // namespace

bool namespaces_allowed() {
  const Result<Ended> ended =
      run_program({"unshare", "--user", "--map-root-user", "--net", "true"});
  return ended && ended->code == 0;
}

Result<LoopRow> run_case(const LoopCase& what, const LoopPlace& place) {
  const Files files = files_of(what, place);
  LoopRow row;
  row.model = what.model_name;
  row.plan = what.plan_name;
  if (auto wrong = predict(what, place, files, row)) return *wrong;
  if (auto wrong = measure(what, place, files, row)) return *wrong;
  if (auto wrong = compare(files, row)) return *wrong;
  return row;
}

}  // namespace quintet::calibrate
