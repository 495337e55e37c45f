#include "gui/timeline/strips.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/drawing/span_look.h"
#include "sim/picture/canvas.h"

namespace quintet::gui {

namespace {

constexpr double title_height = 20.0, name_height = 18.0, scale_height = 22.0, most_lane = 16.0;

struct LaneRow {
  std::size_t strip = 0;
  int lane = 0;
  QRectF at;
};

using SpanRange = std::pair<std::vector<Span>::const_iterator, std::vector<Span>::const_iterator>;

// Spans are sorted by track.
SpanRange spans_of(const Strip& strip) {
  const auto track = static_cast<std::int32_t>(strip.track);
  const auto& spans = strip.timeline->spans;
  return {std::partition_point(spans.begin(), spans.end(),
                               [&](const Span& span) { return span.track < track; }),
          std::partition_point(spans.begin(), spans.end(),
                               [&](const Span& span) { return span.track <= track; })};
}

const SpanInfo& info_of(const Strip& strip, const Span& span) {
  return strip.timeline->infos[static_cast<std::size_t>(span.info)];
}

// Only lanes in which the rank does something.
std::vector<int> lanes_of(const Strip& strip) {
  std::vector<bool> used(strip.timeline->lanes.size(), false);
  const auto [from, to] = spans_of(strip);
  for (auto span = from; span != to; ++span) {
    const auto lane = static_cast<std::size_t>(info_of(strip, *span).lane);
    if (lane < used.size()) used[lane] = true;
  }
  std::vector<int> lanes;
  for (std::size_t lane = 0; lane < used.size(); ++lane)
    if (used[lane]) lanes.push_back(static_cast<int>(lane));
  return lanes;
}

double top_of(const QRectF& at) {
  return at.top() + title_height + legend_height(strip_keys(), at.width()) + 4.0;
}

std::vector<LaneRow> rows_of(const Strips& strips, const QRectF& at) {
  std::vector<std::vector<int>> lanes;
  std::size_t count = 0;
  for (const Strip& strip : strips.strips) {
    lanes.push_back(lanes_of(strip));
    count += lanes.back().size();
  }
  const double top = top_of(at);
  const double room =
      at.bottom() - scale_height - top - name_height * static_cast<double>(strips.strips.size());
  const double lane_height =
      std::clamp(count == 0 ? most_lane : room / static_cast<double>(count), 2.5, most_lane);
  std::vector<LaneRow> rows;
  double y = top;
  for (std::size_t strip = 0; strip < lanes.size(); ++strip) {
    y += name_height;
    for (const int lane : lanes[strip]) {
      rows.push_back({strip, lane, {at.left(), y, at.width(), lane_height - 1.0}});
      y += lane_height;
    }
  }
  return rows;
}

// The waiting part of a communication is an outline.
void draw_span(QPainter& painter, const Theme& theme, const QRectF& at, Look look, double moving) {
  if (at.width() < 3.0) {
    painter.fillRect(at, color_of(theme, look));
    return;
  }
  const double waits = std::clamp(moving - at.left(), 0.0, at.width());
  if (waits >= 1.0) {
    painter.setPen(QPen(color_of(theme, look), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(at.left(), at.top(), waits, at.height() - 1.0));
  }
  fill_look(painter, at.adjusted(waits, 0, 0, 0), theme, look);
}

// Spans narrower than a pixel that fall onto one that is drawn already are left out.
void draw_row(QPainter& painter, const Theme& theme, const Strips& strips, const LaneRow& row,
              const Scale& scale) {
  const Strip& strip = strips.strips[row.strip];
  painter.fillRect(row.at, theme.panel);
  const auto [from, to] = spans_of(strip);
  double drawn_to = -1e18;
  for (auto span = from; span != to; ++span) {
    if (span->end <= strips.from || span->start >= strips.to) continue;
    const SpanInfo& info = info_of(strip, *span);
    if (info.lane != row.lane) continue;
    const double left =
        std::max(row.at.left(), scale.at(static_cast<double>(span->start.picoseconds)));
    const double right =
        std::min(row.at.right(), scale.at(static_cast<double>(span->end.picoseconds)));
    if (right - left < 1.0 && left < drawn_to) continue;
    const QRectF box(left, row.at.top(), std::max(1.0, right - left), row.at.height());
    draw_span(painter, theme, box, look_of(info),
              scale.at(static_cast<double>(span->moving.picoseconds)));
    drawn_to = box.right();
  }
}

void draw_scale(QPainter& painter, const QRectF& at, const Theme& theme, const Strips& strips,
                double y) {
  const Scale scale = strip_scale(strips, at);
  const double low = static_cast<double>(strips.from.picoseconds) * 1e-9;
  const double high = static_cast<double>(strips.to.picoseconds) * 1e-9;
  const std::vector<double> values =
      ticks(low, high, std::clamp(static_cast<int>(at.width() / 90.0), 2, 12));
  const std::vector<QString> texts = tick_texts(values);
  painter.setFont(plot_font());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = scale.at(values[i] * 1e9);
    painter.setPen(QPen(theme.frame, 1));
    painter.drawLine(QPointF(x, y), QPointF(x, y + 4));
    painter.setPen(theme.soft_ink);
    const QString text = i == 0 ? texts[i] + " ms" : texts[i];
    const bool at_left = x - at.left() < 30.0, at_right = at.right() - x < 30.0;
    draw_text(painter,
              {at_left    ? x
               : at_right ? x - 80
                          : x - 40,
               y + 4, 80, 16},
              (at_left    ? Qt::AlignLeft
               : at_right ? Qt::AlignRight
                          : Qt::AlignHCenter) |
                  Qt::AlignVCenter,
              text);
  }
}

// Where a timeline's step ends.
void draw_end(QPainter& painter, const Theme& theme, const Strips& strips, const LaneRow& row,
              const Scale& scale) {
  const Instant end = strips.strips[row.strip].timeline->end;
  if (end <= strips.from || end >= strips.to) return;
  const double x = scale.at(static_cast<double>(end.picoseconds));
  painter.setPen(QPen(theme.ink, 1.5));
  painter.drawLine(QPointF(x, row.at.top() - 1), QPointF(x, row.at.bottom() + 1));
}

}  // namespace

LegendKeys strip_keys() {
  LegendKeys keys;
  for (const LookMeaning& each : look_meanings()) keys.push_back({each.look, each.name});
  return keys;
}

Scale strip_scale(const Strips& strips, const QRectF& at) {
  return {
      {static_cast<double>(strips.from.picoseconds), static_cast<double>(strips.to.picoseconds)},
      at.left(),
      at.right()};
}

std::size_t track_showing(const Timeline& timeline, int rank) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) {
    const int shown = timeline.tracks[i].rank.value;
    const int found = timeline.tracks[best].rank.value;
    if (shown <= rank && (shown > found || found > rank)) best = i;
  }
  return best;
}

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const Strips& strips) {
  if (strips.strips.empty() || strips.to <= strips.from)
    return draw_empty(painter, at, theme, strips.empty);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  draw_text(painter, {at.left(), at.top(), at.width(), title_height}, Qt::AlignLeft, strips.title);
  draw_legend(
      painter,
      {at.left(), at.top() + title_height, at.width(), legend_height(strip_keys(), at.width())},
      theme, strip_keys());
  const Scale scale = strip_scale(strips, at);
  const std::vector<LaneRow> rows = rows_of(strips, at);
  std::size_t named = strips.strips.size();
  for (const LaneRow& row : rows) {
    draw_row(painter, theme, strips, row, scale);
    draw_end(painter, theme, strips, row, scale);
    if (row.strip == named) continue;
    named = row.strip;
    painter.setPen(theme.ink);
    painter.setFont(plot_font());
    draw_text(painter, {at.left(), row.at.top() - name_height, at.width(), name_height},
              Qt::AlignLeft | Qt::AlignVCenter, strips.strips[row.strip].name);
  }
  if (!rows.empty()) draw_scale(painter, at, theme, strips, rows.back().at.bottom() + 2.0);
  painter.restore();
}

QString strip_tip(const Strips& strips, const QRectF& at, QPointF pixel) {
  if (strips.strips.empty() || strips.to <= strips.from) return {};
  const double time = strip_scale(strips, at).value_at(pixel.x());
  for (const LaneRow& row : rows_of(strips, at)) {
    if (!row.at.contains(pixel)) continue;
    const Strip& strip = strips.strips[row.strip];
    const auto [from, to] = spans_of(strip);
    for (auto span = from; span != to; ++span) {
      if (info_of(strip, *span).lane != row.lane) continue;
      if (static_cast<double>(span->start.picoseconds) > time ||
          static_cast<double>(span->end.picoseconds) < time)
        continue;
      const auto ms = [](Duration took) {
        return number_text(static_cast<double>(took.picoseconds) * 1e-9);
      };
      QString words = QString("%1\n%2: %3 ms from %4 ms")
                          .arg(strip.name, QString::fromStdString(info_of(strip, *span).name),
                               ms(span->end - span->start), ms(span->start - Instant{}));
      if (span->moving > span->start)
        words += QString(", waits %1 ms of it").arg(ms(span->moving - span->start));
      return words;
    }
  }
  return {};
}

}  // namespace quintet::gui
