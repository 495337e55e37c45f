// The part of scene.h that makes one.
#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "gui/timeline/scene.h"
#include "sim/explain/breakdown.h"
#include "sim/explain/pictures/step_pictures.h"
#include "sim/timeline/chrome_trace/trace_rows.h"

namespace quintet::gui {

namespace {

constexpr std::uint32_t gap_bit = 0x80000000U;

// A timeline's items by row: which of them, in order of start.
struct Arranged {
  std::vector<TraceRow> rows;
  std::vector<std::size_t> begins;   // per row, and where the last one's end
  std::vector<std::uint32_t> items;  // spans, and launch gaps with gap_bit
};

Arranged arranged(const Timeline& timeline) {
  const TraceRows placed(timeline);
  Arranged all{placed.rows(), std::vector<std::size_t>(placed.rows().size() + 1, 0), {}};
  for (std::size_t span = 0; span < timeline.spans.size(); ++span)
    ++all.begins[placed.row_of_span(span) + 1];
  for (std::size_t gap = 0; gap < timeline.host_gaps.size(); ++gap)
    ++all.begins[placed.row_of_gap(gap) + 1];
  std::partial_sum(all.begins.begin(), all.begins.end(), all.begins.begin());
  std::vector<std::size_t> next(all.begins.begin(), all.begins.end() - 1);
  all.items.resize(all.begins.back());
  for (std::size_t span = 0; span < timeline.spans.size(); ++span)
    all.items[next[placed.row_of_span(span)]++] = static_cast<std::uint32_t>(span);
  for (std::size_t gap = 0; gap < timeline.host_gaps.size(); ++gap)
    all.items[next[placed.row_of_gap(gap)]++] = static_cast<std::uint32_t>(gap) | gap_bit;
  return all;
}

std::vector<Message> messages_of(const Timeline& timeline) {
  std::unordered_map<std::int32_t, std::uint32_t> sends;
  const auto kind_of = [&](const Span& span) {
    return timeline.infos[static_cast<std::size_t>(span.info)].kind;
  };
  for (std::size_t number = 0; number < timeline.spans.size(); ++number) {
    const Span& span = timeline.spans[number];
    if (span.flow >= 0 && kind_of(span) == SpanKind::send)
      sends.emplace(span.flow, static_cast<std::uint32_t>(number));
  }
  std::vector<Message> messages;
  for (std::size_t number = 0; number < timeline.spans.size() && !sends.empty(); ++number) {
    const Span& span = timeline.spans[number];
    if (span.flow < 0 || kind_of(span) != SpanKind::receive) continue;
    const auto send = sends.find(span.flow);
    if (send != sends.end()) messages.push_back({send->second, static_cast<std::uint32_t>(number)});
  }
  std::sort(messages.begin(), messages.end(), [&](const Message& one, const Message& other) {
    return timeline.spans[one.send].start < timeline.spans[other.send].start;
  });
  return messages;
}

Instant earliest(const Timeline& timeline) {
  Instant first = end_of_time;
  for (const Span& span : timeline.spans) first = std::min(first, span.start);
  return first == end_of_time ? Instant{} : first;
}

SceneSource source_of(Timeline timeline, bool measured) {
  SceneSource source{std::move(timeline), measured, {}, {}, {}, {}, {}, {}, {}};
  source.messages = messages_of(source.timeline);
  source.path = critical_path(source.timeline);
  source.path_shares = path_shares(source.timeline, source.path);
  const std::vector<RankBreakdown> parts = breakdowns(source.timeline);
  source.passes = pipeline_grid({"pipeline", "Pipeline"}, source.timeline, parts);
  source.bar_of_span.resize(source.timeline.spans.size());
  source.first_row_of_track.assign(source.timeline.tracks.size(), UINT32_MAX);
  return source;
}

class SceneMaker {
 public:
  SceneMaker(SceneInput& input, const std::function<void(double)>& check)
      : track_of_rank_(input.track_of_rank), check_(check) {
    tell(0);
    if (input.predicted) scene_.sources.push_back(source_of(std::move(*input.predicted), false));
    tell(0.3);
    if (input.measured) scene_.sources.push_back(source_of(std::move(*input.measured), true));
    tell(0.6);
    for (const SceneSource& each : scene_.sources) arranged_.push_back(arranged(each.timeline));
    tell(0.7);
    if (scene_.sources.size() == 2)
      scene_.sources[1].shift =
          earliest(scene_.sources[0].timeline) - earliest(scene_.sources[1].timeline);
  }

  Scene made() {
    std::size_t all = 0;
    for (const Arranged& each : arranged_) all += each.items.size();
    scene_.bars.reserve(all);
    for (const Place& place : ordered_rows()) {
      add_row(place);
      tell(0.7 + 0.3 * static_cast<double>(scene_.bars.bars()) /
                     static_cast<double>(std::max<std::size_t>(all, 1)));
    }
    scene_.bars.finish();
    find_whole();
    return std::move(scene_);
  }

 private:
  // Which row of which source.
  struct Place {
    std::size_t source = 0, row = 0;
  };

  void tell(double share) const {
    if (check_) check_(share);
  }

  // The track of the first source that a track of the second is compared with.
  std::size_t beside(const Track& track) const {
    const Timeline& first = scene_.sources[0].timeline;
    const auto rank = static_cast<std::size_t>(std::max(track.rank.value, 0));
    if (rank < track_of_rank_.size()) return static_cast<std::size_t>(track_of_rank_[rank]);
    for (std::size_t i = 0; i < first.tracks.size(); ++i)
      if (first.tracks[i].rank == track.rank) return i;
    return first.tracks.size();
  }

  // By predicted track, then whether it is measured, then lane; of the lanes of both one below the
  // other.
  std::vector<Place> ordered_rows() const {
    struct Key {
      std::size_t group;
      std::size_t lane;
      std::size_t source;
      std::size_t row;
      auto operator<=>(const Key&) const = default;
    };
    std::vector<Key> keys;
    for (std::size_t source = 0; source < arranged_.size(); ++source)
      for (std::size_t row = 0; row < arranged_[source].rows.size(); ++row) {
        const TraceRow& at = arranged_[source].rows[row];
        keys.push_back({group_of(source, at.track), lane_of(source, at.lane), source, row});
      }
    std::sort(keys.begin(), keys.end());
    std::vector<Place> places;
    for (const Key& key : keys) places.push_back({key.source, key.row});
    return places;
  }

  std::size_t group_of(std::size_t source, std::int32_t track) const {
    if (source == 0) return static_cast<std::size_t>(track);
    return beside(scene_.sources[source].timeline.tracks[static_cast<std::size_t>(track)]);
  }

  // Lanes of both by their names.
  std::size_t lane_of(std::size_t source, std::int32_t lane) const {
    const std::vector<std::string>& own = scene_.sources[source].timeline.lanes;
    const std::vector<std::string>& first = scene_.sources[0].timeline.lanes;
    const auto number = static_cast<std::size_t>(lane);
    if (source == 0) return number;
    if (number >= own.size()) return first.size();
    const auto found = std::find(first.begin(), first.end(), own[number]);
    return found == first.end() ? first.size() + 1 + number
                                : static_cast<std::size_t>(found - first.begin());
  }

  void add_row(const Place& place) {
    SceneSource& source = scene_.sources[place.source];
    const Timeline& timeline = source.timeline;
    const Arranged& from = arranged_[place.source];
    const TraceRow& row = from.rows[place.row];
    scene_.bars.begin_row();
    for (std::size_t i = from.begins[place.row]; i < from.begins[place.row + 1]; ++i) {
      const std::uint32_t item = from.items[i];
      if ((item & gap_bit) != 0) {
        const HostGap& gap = timeline.host_gaps[item & ~gap_bit];
        scene_.bars.add(gap.start + source.shift, gap.end + source.shift, item, look_of_gap);
        continue;
      }
      const Span& span = timeline.spans[item];
      source.bar_of_span[item] = static_cast<std::uint32_t>(scene_.bars.bars());
      scene_.bars.add(span.start + source.shift, span.end + source.shift, item,
                      look_of(timeline.infos[static_cast<std::size_t>(span.info)]));
    }
    std::uint32_t& first = source.first_row_of_track[static_cast<std::size_t>(row.track)];
    first = std::min(first, static_cast<std::uint32_t>(scene_.rows.size()));
    scene_.rows.push_back(described(place.source, row));
  }

  SceneRow described(std::size_t number, const TraceRow& row) const {
    const SceneSource& source = scene_.sources[number];
    const Track& track = source.timeline.tracks[static_cast<std::size_t>(row.track)];
    SceneRow shown{number, row.track, QString("rank %1").arg(track.rank.value), "", "", false};
    shown.group_note = QString("stage %1").arg(track.stage);
    if (track.ranks > 1) shown.group_note += QString(", %L1 ranks").arg(track.ranks);
    const auto lane = static_cast<std::size_t>(row.lane);
    shown.lane = lane < source.timeline.lanes.size()
                     ? QString::fromStdString(source.timeline.lanes[lane])
                     : QString("launch gaps");
    if (row.number > 0) shown.lane += QString(" (%1)").arg(row.number + 1);
    if (source.measured && scene_.sources.size() > 1) shown.lane += ", measured";
    shown.first = scene_.rows.empty() || scene_.rows.back().group != shown.group;
    return shown;
  }

  void find_whole() {
    double to = 1;
    double from = 0;
    for (const SceneSource& each : scene_.sources)
      to = std::max(to, static_cast<double>((each.timeline.end + each.shift).picoseconds));
    const BarStore& bars = scene_.bars;
    for (std::size_t row = 0; row < bars.rows(); ++row) {
      if (bars.row_begin(row) == bars.row_end(row)) continue;
      from = std::min(from, static_cast<double>(bars.start(bars.row_begin(row))));
      to = std::max(to, static_cast<double>(bars.end(bars.row_end(row) - 1)));
    }
    scene_.whole = {from, std::max(to, from + shortest_window)};
  }

  const std::vector<std::int32_t>& track_of_rank_;
  const std::function<void(double)>& check_;
  Scene scene_;
  std::vector<Arranged> arranged_;
};

}  // namespace

Scene make_scene(SceneInput input, const std::function<void(double)>& check) {
  return SceneMaker(input, check).made();
}

}  // namespace quintet::gui
