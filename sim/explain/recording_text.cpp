#include "sim/explain/recording_text.h"

#include <fmt/format.h>

#include "sim/explain/shown_times.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

std::string cost_text(const Recording& recording) {
  if (recording.steps_with == 0 || recording.steps_without == 0 || recording.without == Duration{})
    return "what that costs is not known, since too few steps ran";
  const double with = milliseconds(recording.with), without = milliseconds(recording.without);
  return fmt::format("a step takes {:.3f} ms with it and {:.3f} ms without: {:+.2f} %", with,
                     without, 100 * (with / without - 1));
}

}  // namespace

std::vector<std::string> recording_lines(const Recording& recording) {
  std::vector<std::string> lines{fmt::format("Recorded {} steps by {}; {}.", recording.steps_with,
                                             recording.by, cost_text(recording))};
  if (!recording.instead.empty())
    lines.push_back("Not recorded as was asked for: " + recording.instead + ".");
  if (recording.cost > Duration{})
    lines.push_back(
        fmt::format("By its own records it took {:.3f} ms of the host's threads in those steps.",
                    milliseconds(recording.cost)));
  if (recording.pieces > 0)
    lines.push_back(fmt::format("Of {} kernels, copies and fills, {} belong to instructions.",
                                recording.pieces, recording.in_spans));
  if (recording.lost > 0)
    lines.push_back(
        fmt::format("Warning: {} of them were lost: there was no room for them, or when or for "
                    "what they ran is "
                    "not known.",
                    recording.lost));
  return lines;
}

std::string recording_json(const Recording& recording) {
  const JsonValue json{{"by", recording.by},
                       {"instead", recording.instead},
                       {"steps_with", recording.steps_with},
                       {"steps_without", recording.steps_without},
                       {"with", recording.with.picoseconds},
                       {"without", recording.without.picoseconds},
                       {"cost", recording.cost.picoseconds},
                       {"pieces", recording.pieces},
                       {"in_spans", recording.in_spans},
                       {"lost", recording.lost}};
  return json.dump();
}

}  // namespace quintet
