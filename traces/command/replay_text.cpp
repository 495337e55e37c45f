#include "traces/command/replay_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/text_table.h"
#include "sim/explain/breakdown_report.h"

namespace quintet {

namespace {

std::string time_text(Duration time) {
  return fmt::format("{:.3f} ms", 1e3 * seconds(time).value);
}

double off(Duration replayed, Duration recorded) {
  return recorded > Duration{} ? seconds(replayed) / seconds(recorded) - 1.0 : 0.0;
}

const Replay& shown(const ReplayAnswer& answer) {
  return answer.changed ? *answer.changed : *answer.as_recorded;
}

std::string head(const ReplayAnswer& answer) {
  const Workload& workload = answer.workload;
  std::string text = fmt::format("{}: {}, {} rank{}", workload.name, answer.format,
                                 workload.ranks.size(), workload.ranks.size() == 1 ? "" : "s");
  if (workload.world_size > static_cast<int>(workload.ranks.size()))
    text += fmt::format(" of {}", workload.world_size);
  text += fmt::format(", {} tasks, {} collectives and messages between them\n", shown(answer).tasks,
                      shown(answer).meetings);
  if (!workload.recorded) return text;
  const ReplayError error = replay_error(workload, *answer.as_recorded);
  return text + fmt::format(
                    "Recorded step: {}\n"
                    "Replayed as it was: {} ({} %; ranks' ends at most {} % off)\n",
                    time_text(workload.end - Instant{}),
                    time_text(answer.as_recorded->timeline.end - Instant{}),
                    signed_fixed(100 * error.step, 2), fixed(100 * error.worst_rank, 2));
}

// How communication and computing were priced, in a sentence.
std::string basis(const ReplayAnswer& answer) {
  const ReplayMachines& machines = answer.machines;
  if (!machines.on) return "Computing takes what was asked for, all else what it took.";
  std::string text;
  if (!answer.workload.recorded)
    text = "Communication takes what the model of that machine says; computing what the file says.";
  else if (!machines.recorded_on)
    text =
        "Communication takes what the model of that machine says, computing what it took; with "
        "--recorded-on the recording corrects the model.";
  else
    text = fmt::format(
        "Communication takes what the model says, and what it took beyond the model of {}; "
        "computing takes what it took{}.",
        machines.recorded_on->name,
        answer.low ? ", times what the GPUs' peak rates make of it" : "");
  return text;
}

std::string changed_text(const ReplayAnswer& answer) {
  const Duration replayed = answer.changed->timeline.end - Instant{};
  std::string text = answer.machines.on ? "On " + answer.machines.on->name : "Changed";
  text += ": " + time_text(replayed);
  if (answer.low && answer.high)
    text += fmt::format(", between {} and {}", time_text(answer.low->timeline.end - Instant{}),
                        time_text(answer.high->timeline.end - Instant{}));
  if (answer.workload.recorded)
    text += fmt::format(" ({} % of the recorded step)",
                        fixed(100 * (1 + off(replayed, answer.workload.end - Instant{})), 1));
  return text + "\n" + basis(answer) + "\n";
}

std::string parts(const ReplayAnswer& answer) {
  std::vector<Named<RankBreakdown>> columns;
  if (answer.workload.recorded) columns.push_back({"recorded", mean(breakdowns(answer.recorded))});
  if (answer.changed) columns.push_back({"replayed", mean(breakdowns(answer.changed->timeline))});
  return columns.empty() ? "" : "\nMean over the ranks:\n" + breakdown_table(columns);
}

nlohmann::ordered_json seconds_json(Duration time) {
  return seconds(time).value;
}

}  // namespace

ReplayError replay_error(const Workload& workload, const Replay& replay) {
  ReplayError error;
  error.step = off(replay.timeline.end - Instant{}, workload.end - Instant{});
  const std::vector<Duration> recorded = recorded_ends(workload);
  for (std::size_t rank = 0; rank < recorded.size(); ++rank)
    error.worst_rank =
        std::max(error.worst_rank, std::abs(off(replay.rank_ends[rank], recorded[rank])));
  return error;
}

std::string replay_text(const ReplayAnswer& answer) {
  std::string text = head(answer);
  if (answer.changed) text += changed_text(answer);
  text += parts(answer);
  for (const WorkloadRemark& remark : shown(answer).remarks) text += "Note: " + remark.text + ".\n";
  return text;
}

std::string replay_json(const ReplayAnswer& answer) {
  const Workload& workload = answer.workload;
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"name", workload.name},
                              {"format", answer.format},
                              {"ranks", workload.ranks.size()},
                              {"world_size", workload.world_size},
                              {"tasks", shown(answer).tasks},
                              {"meetings", shown(answer).meetings}};
  if (workload.recorded) {
    const ReplayError error = replay_error(workload, *answer.as_recorded);
    json["recorded_s"] = seconds_json(workload.end - Instant{});
    json["replayed_s"] = seconds_json(answer.as_recorded->timeline.end - Instant{});
    json["step_error"] = error.step;
    json["worst_rank_error"] = error.worst_rank;
  }
  if (answer.changed) {
    json["on"] = answer.machines.on ? answer.machines.on->name : "";
    json["changed_s"] = seconds_json(answer.changed->timeline.end - Instant{});
  }
  if (answer.low && answer.high) {
    json["changed_low_s"] = seconds_json(answer.low->timeline.end - Instant{});
    json["changed_high_s"] = seconds_json(answer.high->timeline.end - Instant{});
  }
  json["remarks"] = nlohmann::ordered_json::array();
  for (const WorkloadRemark& remark : shown(answer).remarks) json["remarks"].push_back(remark.text);
  return json.dump(2) + "\n";
}

}  // namespace quintet
