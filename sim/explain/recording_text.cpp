#include "sim/explain/recording_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/text_table.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

std::string cost_text(const Recording& recording) {
  if (recording.steps_with == 0 || recording.steps_without == 0 || recording.without == Duration{})
    return "what that costs is not known, since too few steps ran";
  const double with = milliseconds(recording.with), without = milliseconds(recording.without);
  char text[160];
  std::snprintf(text, sizeof(text), "a step takes %.3f ms with it and %.3f ms without: %+.2f %%",
                with, without, 100 * (with / without - 1));
  return text;
}

}  // namespace

std::vector<std::string> recording_lines(const Recording& recording) {
  std::vector<std::string> lines{"Recorded " + std::to_string(recording.steps_with) + " steps by " +
                                 recording.by + "; " + cost_text(recording) + "."};
  if (!recording.instead.empty())
    lines.push_back("Not recorded as was asked for: " + recording.instead + ".");
  if (recording.cost > Duration{})
    lines.push_back("By its own records it took " + fixed(milliseconds(recording.cost), 3) +
                    " ms of the host's threads in those steps.");
  if (recording.pieces > 0)
    lines.push_back("Of " + std::to_string(recording.pieces) + " kernels, copies and fills, " +
                    std::to_string(recording.in_spans) + " belong to instructions.");
  if (recording.lost > 0)
    lines.push_back("Warning: " + std::to_string(recording.lost) +
                    " of them were lost: there was no room for them, or when or for what they ran "
                    "is not known.");
  return lines;
}

std::string recording_json(const Recording& recording) {
  const nlohmann::ordered_json json{{"by", recording.by},
                                    {"instead", recording.instead},
                                    {"steps_with", recording.steps_with},
                                    {"steps_without", recording.steps_without},
                                    {"with", recording.with.picoseconds},
                                    {"without", recording.without.picoseconds},
                                    {"cost", recording.cost.picoseconds},
                                    {"pieces", recording.pieces},
                                    {"in_spans", recording.in_spans},
                                    {"lost", recording.lost}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace quintet
