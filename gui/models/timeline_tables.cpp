#include "gui/models/timeline_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/explain/range_statistics.h"

namespace quintet::gui {

namespace {

QString text(std::string_view words) {
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

QString run_name(const Scene& scene, std::size_t source) {
  return scene.sources[source].measured ? "measured" : "predicted";
}

QString decimal(double value) {
  QString digits = QString::number(value, 'f', 9);
  while (digits.endsWith('0')) digits.chop(1);
  if (digits.endsWith('.')) digits.chop(1);
  return digits;
}

// Milliseconds to the picosecond: tables are what programs read.
QString milliseconds(std::int64_t picoseconds) {
  return decimal(static_cast<double>(picoseconds) * 1e-9);
}

QString percent(double share) {
  return QString::number(100 * share, 'f', 2) + " %";
}

const std::vector<ListedColumn> bar_columns{
    {"run", "Predicted, or measured by the recording"},
    {"rank", "The rank shown"},
    {"lane", "The queue that it ran on"},
    {"name", "The instruction"},
    {"begins (ms)", "Since the step began", true},
    {"takes (ms)", "From when its lane took it up to its end", true},
    {"waited (ms)", "Of that, until all peers had come", true},
    {"bytes", "That one rank gives or gets", true},
    {"layer", "Of the model", true},
    {"micro-batch", "Counted from 0", true}};

QString bar_text(const Scene& scene, std::size_t bar, int column) {
  const SceneRow& row = scene.rows[scene.bars.row_of(bar)];
  const SceneSource& source = scene.sources[row.source];
  const Span* span = scene.span_of(bar);
  const SpanInfo* info = scene.info_of(bar);
  switch (column) {
    case 0:
      return run_name(scene, row.source);
    case 1:
      return row.group.section(' ', 1);
    case 2:
      return row.lane;
    case 3:
      return scene.name_of(bar);
    case 4:
      return milliseconds(scene.bars.start(bar) - source.shift.picoseconds);
    case 5:
      return milliseconds(scene.bars.length(bar));
    case 6:
      return info != nullptr && is_communication(info->kind)
                 ? milliseconds((span->moving - span->start).picoseconds)
                 : QString();
    case 7:
      return info != nullptr && info->size != Bytes{} ? QString::number(info->size.value, 'f', 0)
                                                      : QString();
    case 8:
      return span != nullptr && span->layer >= 0 ? QString::number(span->layer) : QString();
    default:
      return span != nullptr && span->micro_batch >= 0 ? QString::number(span->micro_batch)
                                                       : QString();
  }
}

struct NamedRow {
  QString run;
  RangeRow row;
};

QString range_text(const NamedRow& named, int column) {
  const RangeRow& row = named.row;
  switch (column) {
    case 0:
      return named.run;
    case 1:
      return text(row.name);
    case 2:
      return QString("%L1").arg(row.count);
    case 3:
      return milliseconds(row.inside.picoseconds);
    case 4:
      return milliseconds(row.mean.picoseconds);
    case 5:
      return milliseconds(row.median.picoseconds);
    case 6:
      return milliseconds(row.p95.picoseconds);
    case 7:
      return row.bytes == Bytes{} ? QString() : QString::number(row.bytes.value, 'f', 0);
    default:
      return row.rate == Bandwidth{} ? QString() : QString::number(row.rate.value / 1e9, 'g', 5);
  }
}

// A row of all sources one after the other.
struct Numbered {
  std::size_t source = 0, index = 0;
};

template <class Count>
std::vector<Numbered> numbered(const Scene& scene, Count count) {
  std::vector<Numbered> all;
  for (std::size_t source = 0; source < scene.sources.size(); ++source)
    for (std::size_t index = 0; index < count(scene.sources[source]); ++index)
      all.push_back({source, index});
  return all;
}

QString share_text(const Scene& scene, const Numbered& at, int column) {
  const SceneSource& source = scene.sources[at.source];
  const PathShare& share = source.path_shares[at.index];
  switch (column) {
    case 0:
      return run_name(scene, at.source);
    case 1:
      return text(share.name);
    case 2:
      return milliseconds(share.time.picoseconds);
    case 3:
      return percent(seconds(share.time) / seconds(source.timeline.end - Instant{}));
    default:
      return QString("%L1").arg(share.pieces);
  }
}

QString piece_text(const Scene& scene, const Numbered& at, int column) {
  const SceneSource& source = scene.sources[at.source];
  const PathPiece& piece = source.path[at.index];
  switch (column) {
    case 0:
      return run_name(scene, at.source);
    case 1:
      return text(name_of(piece.kind));
    case 2:
      return piece.span < 0
                 ? QString("-")
                 : scene.name_of(source.bar_of_span[static_cast<std::size_t>(piece.span)]);
    case 3:
      return QString::number(
          source.timeline.tracks[static_cast<std::size_t>(piece.track)].rank.value);
    case 4:
      return milliseconds(piece.from.picoseconds);
    default:
      return milliseconds((piece.to - piece.from).picoseconds);
  }
}

QString pass_text(const Scene& scene, const Numbered& at, int column) {
  const PassGrid& grid = *scene.sources[at.source].passes;
  const DrawnPass& pass = grid.passes[at.index];
  switch (column) {
    case 0:
      return run_name(scene, at.source);
    case 1:
      return text(grid.rows[pass.row].name);
    case 2:
      return text(pass.kind);
    case 3:
      return text(pass.label);
    case 4:
      return decimal(pass.begin);
    case 5:
      return decimal(pass.end - pass.begin);
    default:
      return text(grid.rows[pass.row].note);
  }
}

}  // namespace

TimelineTables::TimelineTables()
    : facts({{"what", ""}, {"value", ""}}),
      range({{"run", "Predicted, or measured by the recording"},
             {"kind", "A phase of compute, or communication on an axis"},
             {"count", "Bars of which some lies in the range, of the tracks shown", true},
             {"sum (ms)", "What of them lies in the range, added up", true},
             {"mean (ms)", "Of whole bars", true},
             {"p50 (ms)", "Half of the bars take no longer (nearest rank)", true},
             {"p95 (ms)", "95 of 100 take no longer (nearest rank)", true},
             {"bytes", "In proportion to how much of their moving lies in the range", true},
             {"GB/s", "These bytes over the time in which they moved", true}}),
      path_shares({{"run", "Predicted, or measured by the recording"},
                   {"kind", "What the step waited for"},
                   {"time (ms)", "On the critical path; the column sums to the step", true},
                   {"share", "Of the step", true},
                   {"pieces", "How many bars of the path are of this kind", true}}),
      path({{"run", "Predicted, or measured by the recording"},
            {"kind", "What the step waited for"},
            {"name", "The instruction"},
            {"rank", "On which it ran", true},
            {"from (ms)", "Each piece begins where the one before it ends", true},
            {"takes (ms)", "What of the step is this piece", true}}),
      matches(bar_columns),
      bars(bar_columns),
      passes({{"run", "Predicted, or measured by the recording"},
              {"stage", "Of the pipeline"},
              {"pass", "F forward, B backward, W weight gradients, U update"},
              {"micro-batch", "Counted from 0"},
              {"begins (ms)", "Its first kernel", true},
              {"takes (ms)", "To the end of its last kernel", true},
              {"stage's bubble", "Share of the step in which its stage waits for others", true}}) {}

void TimelineTables::clear() {
  for (ListedModel* each : {&facts, &range, &path_shares, &path, &matches, &bars, &passes})
    each->clear();
}

void TimelineTables::show_scene(const Scene& scene) {
  const auto shares =
      numbered(scene, [](const SceneSource& source) { return source.path_shares.size(); });
  path_shares.show(static_cast<int>(shares.size()), [&scene, shares](int row, int column) {
    return share_text(scene, shares[static_cast<std::size_t>(row)], column);
  });
  const auto pieces = numbered(scene, [](const SceneSource& source) { return source.path.size(); });
  path.show(static_cast<int>(pieces.size()), [&scene, pieces](int row, int column) {
    return piece_text(scene, pieces[static_cast<std::size_t>(row)], column);
  });
  const auto drawn = numbered(scene, [](const SceneSource& source) {
    return source.passes ? source.passes->passes.size() : 0;
  });
  passes.show(static_cast<int>(drawn.size()), [&scene, drawn](int row, int column) {
    return pass_text(scene, drawn[static_cast<std::size_t>(row)], column);
  });
}

void TimelineTables::show_selected(const Scene& scene, std::optional<std::size_t> bar) {
  const auto lines = bar ? facts_of(scene, *bar) : std::vector<std::pair<QString, QString>>{};
  facts.show(static_cast<int>(lines.size()), [lines](int row, int column) {
    const auto& [name, value] = lines[static_cast<std::size_t>(row)];
    return column == 0 ? name : value;
  });
}

void TimelineTables::show_range(const Scene& scene, const std::optional<TimeWindow>& part) {
  const TimeWindow window = part.value_or(scene.whole);
  std::vector<NamedRow> rows;
  for (std::size_t source = 0; source < scene.sources.size(); ++source) {
    const std::int64_t shift = scene.sources[source].shift.picoseconds;
    const Interval asked{{static_cast<std::int64_t>(window.from) - shift},
                         {static_cast<std::int64_t>(window.to) - shift}};
    for (RangeRow& row : range_rows(scene.sources[source].timeline, asked))
      rows.push_back({run_name(scene, source), std::move(row)});
  }
  const auto count = static_cast<int>(rows.size());
  range.show(count, [rows = std::move(rows)](int row, int column) {
    return range_text(rows[static_cast<std::size_t>(row)], column);
  });
}

void TimelineTables::show_matches(const Scene& scene, const FoundBars& found) {
  matches.show(static_cast<int>(found.bars.size()),
               [&scene, bars = found.bars](int row, int column) {
                 return bar_text(scene, bars[static_cast<std::size_t>(row)], column);
               });
}

void TimelineTables::show_bars(const Scene& scene, const TimelineView& view) {
  // Of each row the first bar, and how many come before it in the table.
  struct Part {
    std::size_t first, before;
  };
  std::vector<Part> parts;
  std::size_t all = 0;
  // What has no length and lies at the step's end is seen with it.
  const auto no_longer_seen = view.window.to >= scene.whole.to
                                  ? std::numeric_limits<std::int64_t>::max()
                                  : static_cast<std::int64_t>(std::ceil(view.window.to));
  const auto add = [&](std::size_t row) {
    const std::size_t first =
        scene.bars.first_ending_after(row, static_cast<std::int64_t>(view.window.from));
    if (first == scene.bars.row_end(row)) return;
    const std::size_t end =
        scene.bars.first_starting_from(first, scene.bars.row_end(row), no_longer_seen);
    if (end == first) return;
    parts.push_back({first, all});
    all += end - first;
  };
  for (const std::size_t row : view.pinned) add(row);
  for (const std::size_t row : view.others) add(row);
  bars.show(static_cast<int>(all), [&scene, parts = std::move(parts)](int row, int column) {
    const auto number = static_cast<std::size_t>(row);
    const auto part =
        std::upper_bound(parts.begin(), parts.end(), number,
                         [](std::size_t at, const Part& each) { return at < each.before; }) -
        1;
    return bar_text(scene, part->first + number - part->before, column);
  });
}

}  // namespace quintet::gui
