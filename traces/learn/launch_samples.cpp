#include "traces/learn/launch_samples.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace quintet {

namespace {

struct Launched {
  std::int64_t start = 0, end = 0;
  std::int32_t row = -1;
  int kernels = 0;  // graphs launch many
};

using Launches = std::unordered_map<std::int64_t, Launched>;

Seconds apart(std::int64_t from, std::int64_t to) {
  return Seconds{1e-9 * static_cast<double>(to - from)};
}

Launches launches_of(const RankTrace& trace) {
  Launches launches;
  for (const TraceEvent& event : trace.events)
    if (event.kind == EventKind::launch && event.correlation >= 0)
      launches.emplace(event.correlation, Launched{event.start, event.end(), event.row, 0});
  for (const TraceEvent& event : trace.events)
    if (event.kind == EventKind::kernel)
      if (const auto own = launches.find(event.correlation); own != launches.end())
        ++own->second.kernels;
  return launches;
}

bool is_single(const Launches& launches, const TraceEvent& event) {
  const auto own = launches.find(event.correlation);
  return own != launches.end() && own->second.kernels == 1;
}

std::vector<Seconds> between_launches(const RankTrace& trace, const Launches& launches) {
  std::vector<Seconds> found;
  const TraceEvent* before = nullptr;
  for (const TraceEvent& event : trace.events) {
    if (before != nullptr && event.row != before->row) before = nullptr;
    if (event.kind == EventKind::block) before = nullptr;
    if (event.kind != EventKind::launch) continue;
    const bool single = is_single(launches, event);
    if (single && before != nullptr && apart(before->start, event.start) <= longest_in_burst)
      found.push_back(apart(before->start, event.start));
    before = single ? &event : nullptr;
  }
  return found;
}

// When calls made a stream wait for another's event, by the stream.
using Waits = std::map<std::int64_t, std::vector<std::int64_t>>;

Waits waits_of(const RankTrace& trace) {
  Waits waits;
  for (const TraceEvent& event : trace.events) {
    if ((event.kind != EventKind::call && event.kind != EventKind::block) || event.facts < 0)
      continue;
    const RecordedWait& wait = trace.waits[static_cast<std::size_t>(event.facts)];
    if (wait.kind == RecordedWait::Kind::stream_waits_event)
      waits[wait.stream].push_back(event.start);
  }
  for (auto& [stream, instants] : waits) std::sort(instants.begin(), instants.end());
  return waits;
}

bool is_any_between(const std::vector<std::int64_t>& instants, std::int64_t from, std::int64_t to) {
  const auto first = std::lower_bound(instants.begin(), instants.end(), from);
  return first != instants.end() && *first < to;
}

std::vector<Seconds> gaps_between_kernels(const RankTrace& trace, const Launches& launches) {
  Waits waits = waits_of(trace);
  std::vector<Seconds> found;
  for (std::size_t i = 1; i < trace.events.size(); ++i) {
    const TraceEvent &first = trace.events[i - 1], &second = trace.events[i];
    if (first.row != second.row || first.kind != EventKind::kernel ||
        second.kind != EventKind::kernel || is_communication(trace, first) ||
        is_communication(trace, second) || !is_single(launches, first) ||
        !is_single(launches, second) || second.start < first.end())
      continue;
    const Launched &before = launches.at(first.correlation), &own = launches.at(second.correlation);
    const RecordedRow& stream = trace.rows[static_cast<std::size_t>(second.row)];
    if (own.end > first.end() || is_any_between(waits[stream.id], before.start, own.start) ||
        is_any_between(waits[-1], before.start, own.start))
      continue;
    found.push_back(apart(first.end(), second.start));
  }
  return found;
}

}  // namespace

LaunchSamples launch_samples(const RankTrace& trace) {
  const Launches launches = launches_of(trace);
  LaunchSamples found;
  if (!trace.devices.empty()) found.gpu = trace.devices.front().name;
  found.between = between_launches(trace, launches);
  found.gaps = gaps_between_kernels(trace, launches);
  const std::size_t all = found.gaps.size();
  std::erase_if(found.gaps, [](Seconds each) { return each > longest_gap; });
  if (2 * found.gaps.size() < all) found.gaps.clear();
  if (found.gaps.size() < all)
    found.left_out.push_back({"gaps between queued kernels in which something else was waited for",
                              static_cast<std::int64_t>(all - found.gaps.size())});
  return found;
}

}  // namespace quintet
