#include "calibrate/probes/predicted_step.h"

#include <fmt/format.h>

#include <vector>

#include "calibrate/machine/child_program.h"
#include "sim/json/json_fields.h"

namespace quintet::calibrate {

using Json = nlohmann::json;

Result<PredictedStep> predicted_step(const StepQuestion& question) {
  std::vector<std::string> words{beside_this_program("quintet"),
                                 "simulate",
                                 question.plan,
                                 "--model",
                                 question.model,
                                 "--topology",
                                 question.topology,
                                 "--costs",
                                 question.costs,
                                 "--json",
                                 "--quiet"};
  if (!question.timeline.empty())
    words.insert(words.end(), {"--trace", question.timeline.string()});
  const Result<Ended> ended = run_program(words);
  if (!ended) return ended.error();
  if (ended->code != 0) return Error{"quintet simulate", fmt::format("ended with {}", ended->code)};
  const Json json = json_or_null(ended->output);
  const Json summary = json.is_object() ? json.value("summary", Json::array()) : Json::array();
  if (summary.empty() || !summary[0].contains("step_s"))
    return Error{"quintet simulate",
                 "did not print what this program expects; are both of the same build?"};
  PredictedStep predicted{Seconds{summary[0]["step_s"].get<double>()}, std::nullopt};
  const Json intervals = json.value("intervals", Json::array());
  if (!intervals.empty() && intervals[0].value("low_s", Json()).is_number())
    predicted.interval = StepInterval{Seconds{intervals[0].value("low_s", 0.0)},
                                      Seconds{intervals[0].value("high_s", 0.0)}};
  return predicted;
}

}  // namespace quintet::calibrate
