#include "traces/command/replay_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/quantity_text.h"
#include "sim/base/text_table.h"
#include "sim/explain/breakdown_report.h"

namespace quintet {

namespace {

std::string time_text(Duration time) {
  return text(seconds(time));
}

double off(Duration replayed, Duration recorded) {
  return recorded > Duration{} ? seconds(replayed) / seconds(recorded) - 1.0 : 0.0;
}

std::string head(const ReplayAnswer& answer) {
  const Workload& workload = answer.workload;
  std::string text = fmt::format("{}: {}, {} rank{}", workload.name, answer.format,
                                 workload.ranks.size(), workload.ranks.size() == 1 ? "" : "s");
  if (workload.world_size > static_cast<int>(workload.ranks.size()))
    text += fmt::format(" of {}", workload.world_size);
  const Replay& any = answer.changed ? *answer.changed : answer.as_recorded;
  text += fmt::format(", {} tasks, {} collectives and messages between them\n", any.tasks,
                      any.meetings);
  if (!workload.recorded) return text;
  const ReplayError error = replay_error(workload, answer.as_recorded);
  text += fmt::format(
      "  recorded step      {}\n"
      "  replayed as it was {} ({} %, ranks' ends at most {} % off)\n",
      time_text(workload.end - Instant{}), time_text(answer.as_recorded.timeline.end - Instant{}),
      signed_fixed(100 * error.step, 2), fixed(100 * error.worst_rank, 2));
  return text;
}

std::string changed_text(const ReplayAnswer& answer) {
  const Duration replayed = answer.changed->timeline.end - Instant{};
  std::string text = fmt::format("  {:<18} {}", answer.on, time_text(replayed));
  if (answer.workload.recorded) {
    const Duration recorded = answer.workload.end - Instant{};
    text +=
        fmt::format(" ({} % of the recorded step)", fixed(100 * (1 + off(replayed, recorded)), 1));
  }
  return text + "\n" + (answer.rests_on.empty() ? "" : "  " + answer.rests_on + "\n");
}

std::string parts(const ReplayAnswer& answer) {
  std::vector<Named<RankBreakdown>> columns;
  if (answer.workload.recorded) columns.push_back({"recorded", mean(breakdowns(answer.recorded))});
  if (answer.changed) columns.push_back({answer.on, mean(breakdowns(answer.changed->timeline))});
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
  const Replay& any = answer.changed ? *answer.changed : answer.as_recorded;
  for (const WorkloadRemark& remark : any.remarks) text += "Note: " + remark.text + ".\n";
  return text;
}

std::string replay_json(const ReplayAnswer& answer) {
  const Workload& workload = answer.workload;
  nlohmann::ordered_json json{{"schema_version", 1},
                              {"name", workload.name},
                              {"format", answer.format},
                              {"ranks", workload.ranks.size()},
                              {"world_size", workload.world_size}};
  const Replay& any = answer.changed ? *answer.changed : answer.as_recorded;
  json["tasks"] = any.tasks;
  json["meetings"] = any.meetings;
  if (workload.recorded) {
    const ReplayError error = replay_error(workload, answer.as_recorded);
    json["recorded_s"] = seconds_json(workload.end - Instant{});
    json["replayed_s"] = seconds_json(answer.as_recorded.timeline.end - Instant{});
    json["step_error"] = error.step;
    json["worst_rank_error"] = error.worst_rank;
  }
  if (answer.changed) {
    json["on"] = answer.on;
    json["changed_s"] = seconds_json(answer.changed->timeline.end - Instant{});
  }
  json["remarks"] = nlohmann::ordered_json::array();
  for (const WorkloadRemark& remark : any.remarks) json["remarks"].push_back(remark.text);
  return json.dump(2) + "\n";
}

}  // namespace quintet
