#include "traces/workload/trace_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "sim/base/shown_text.h"

namespace quintet {

namespace {

using Windows = std::map<std::string, TraceWindow>;

// Ranges on threads by name; of equal names the last.
Windows ranges_of(const RankTrace& trace, bool steps_only) {
  Windows found;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::annotation) continue;
    if (trace.rows[static_cast<std::size_t>(event.row)].kind != RecordedRow::Kind::thread) continue;
    const std::string& name = trace.names[static_cast<std::size_t>(event.name)];
    if (!steps_only || name.starts_with("ProfilerStep#")) found[name] = {event.start, event.end()};
  }
  return found;
}

TraceWindow whole(const RankTrace& trace) {
  TraceWindow window{std::numeric_limits<std::int64_t>::max(),
                     std::numeric_limits<std::int64_t>::min()};
  for (const TraceEvent& event : trace.events) {
    window.from = std::min(window.from, event.start);
    window.to = std::max(window.to, event.end() + 1);
  }
  return trace.events.empty() ? TraceWindow{} : window;
}

// "ProfilerStep#9" before "ProfilerStep#10".
bool is_before(const std::string& left, const std::string& right) {
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

std::vector<std::string> in_all(const std::vector<Windows>& all) {
  std::vector<std::string> names;
  for (const auto& [name, window] : all.front())
    if (std::all_of(all.begin(), all.end(),
                    [&name = name](const Windows& each) { return each.contains(name); }))
      names.push_back(name);
  std::sort(names.begin(), names.end(), is_before);
  return names;
}

// Profilers open a range for a step that they no longer record.
bool launches(const RankTrace& trace, const TraceWindow& window) {
  return std::any_of(trace.events.begin(), trace.events.end(), [&](const TraceEvent& event) {
    const bool works = event.kind == EventKind::launch || event.kind == EventKind::kernel;
    return works && event.start >= window.from && event.start < window.to;
  });
}

Error no_such(const RankTrace& trace, const std::string& wanted,
              const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return {trace.file, fmt::format("no range {} is in all traces; {}", in_quotes(wanted),
                                  list.empty() ? "they have no steps: leave --step out"
                                               : "their steps: " + list)};
}

}  // namespace

Result<ChosenStep> chosen_step(std::span<const RankTrace> traces, const std::string& wanted) {
  ChosenStep chosen;
  std::vector<Windows> steps, ranges;
  for (const RankTrace& trace : traces) {
    steps.push_back(ranges_of(trace, true));
    if (!wanted.empty()) ranges.push_back(ranges_of(trace, false));
  }
  const std::vector<std::string> names = in_all(steps);
  chosen.steps = static_cast<int>(names.size());
  if (!wanted.empty()) {
    const std::vector<std::string> known = in_all(ranges);
    for (const std::string& name : {wanted, "ProfilerStep#" + wanted})
      if (std::find(known.begin(), known.end(), name) != known.end()) chosen.name = name;
    if (chosen.name.empty()) return no_such(traces.front(), wanted, names);
    for (const Windows& each : ranges) chosen.windows.push_back(each.at(chosen.name));
    return chosen;
  }
  const auto busy = std::find_if(names.rbegin(), names.rend(), [&](const std::string& name) {
    for (std::size_t i = 0; i < traces.size(); ++i)
      if (launches(traces[i], steps[i].at(name))) return true;
    return false;
  });
  if (!names.empty()) chosen.name = busy == names.rend() ? names.back() : *busy;
  for (std::size_t i = 0; i < traces.size(); ++i)
    chosen.windows.push_back(names.empty() ? whole(traces[i]) : steps[i].at(chosen.name));
  return chosen;
}

}  // namespace quintet
