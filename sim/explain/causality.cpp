#include "sim/explain/causality.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/base/text_table.h"

namespace quintet {

namespace {

std::string microseconds(Duration time) {
  return fixed(static_cast<double>(time.picoseconds) * 1e-6, 1) + " us";
}

std::string rank_of(const Timeline& timeline, std::size_t span) {
  const auto track = static_cast<std::size_t>(timeline.spans[span].track);
  return fmt::format("rank {}", timeline.tracks[track].rank.value);
}

}  // namespace

std::vector<CausalityBreak> causality_breaks(const Timeline& timeline, Duration bound) {
  const auto kind = [&timeline](const Span& span) {
    return timeline.infos[static_cast<std::size_t>(span.info)].kind;
  };
  std::map<std::int32_t, std::size_t> sends;
  for (std::size_t i = 0; i < timeline.spans.size(); ++i)
    if (timeline.spans[i].flow >= 0 && kind(timeline.spans[i]) == SpanKind::send)
      sends[timeline.spans[i].flow] = i;
  std::vector<CausalityBreak> breaks;
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    const Span& receive = timeline.spans[i];
    if (receive.flow < 0 || kind(receive) != SpanKind::receive) continue;
    const auto send = sends.find(receive.flow);
    if (send == sends.end()) continue;
    const Duration by = timeline.spans[send->second].start - receive.end;
    if (by > bound) breaks.push_back({send->second, i, by});
  }
  return breaks;
}

std::optional<std::string> causality_warning(const Timeline& timeline) {
  const Duration bound = timeline.measurement ? timeline.measurement->clock_bound : Duration{};
  const std::vector<CausalityBreak> breaks = causality_breaks(timeline, bound);
  if (breaks.empty()) return std::nullopt;
  const CausalityBreak& worst =
      *std::max_element(breaks.begin(), breaks.end(),
                        [](const auto& left, const auto& right) { return left.by < right.by; });
  return fmt::format(
      "{} messages arrive before they are sent: the ranks' clocks are further apart than the {} "
      "that were measured; the worst goes from {} to {}, {} too early",
      breaks.size(), microseconds(bound), rank_of(timeline, worst.send),
      rank_of(timeline, worst.receive), microseconds(worst.by));
}

}  // namespace quintet
