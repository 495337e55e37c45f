#include "gui/drawing/plot/parts_plot.h"

#include <algorithm>
#include <numeric>

#include "gui/drawing/plot/scale.h"
#include "sim/picture/canvas.h"

namespace quintet::gui {

namespace {

constexpr double title_height = 22.0, most_row = 74.0, bar_height = 26.0, least_tall_row = 40.0;

double whole_of(const PartsBar& bar) {
  return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0);
}

QString name_of(const PartsBar& bar) {
  return bar.marked ? bar.name + " (base)" : bar.name;
}

struct PartsPlaces {
  QRectF bars;
  double row = 0.0;     // height of one
  double behind = 0.0;  // width of the wholes' text
  double before = 0.0;  // of names that stand beside their bars, where rows are low; 0: above
  Scale scale;
  double legend = 0.0;
};

PartsPlaces places_of(const PartsPlot& plot, const QRectF& at) {
  const QFontMetricsF metrics(plot_title_font());
  PartsPlaces places;
  places.legend = legend_height(plot.keys, at.width());
  std::vector<double> wholes;
  for (const PartsBar& bar : plot.bars) {
    wholes.push_back(whole_of(bar));
    places.behind = std::max(places.behind, metrics.horizontalAdvance(bar.whole) + 10.0);
  }
  const double top = title_height + places.legend + 8.0;
  places.bars = at.adjusted(0, top, 0, -24.0);
  places.row = std::min(most_row, places.bars.height() / static_cast<double>(plot.bars.size()));
  places.bars.setHeight(places.row * static_cast<double>(plot.bars.size()));
  if (places.row < least_tall_row)
    for (const PartsBar& bar : plot.bars)
      places.before = std::max(places.before, metrics.horizontalAdvance(name_of(bar)) + 10.0);
  places.before = std::min(places.before, at.width() * 0.35);
  const double longest = *std::max_element(wholes.begin(), wholes.end());
  places.scale = {
      {0.0, longest > 0.0 ? longest : 1.0}, at.left() + places.before, at.right() - places.behind};
  return places;
}

// The bar itself, below its name or beside it.
QRectF bar_at(const PartsPlaces& places, std::size_t number) {
  const double top = places.bars.top() + static_cast<double>(number) * places.row;
  const bool is_low = places.before > 0.0;
  const double height = std::min(bar_height, is_low ? places.row - 3.0 : places.row - 20.0);
  return {places.bars.left(), top + (is_low ? 1.0 : 18.0), places.bars.width(),
          std::max(2.0, height)};
}

// Its name and, where there is room, its note.
void draw_name(QPainter& painter, const Theme& theme, const PartsPlaces& places,
               const PartsBar& bar, const QRectF& at) {
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  if (places.before > 0.0)
    return draw_text(painter, {at.left(), at.center().y() - 9, places.before - 8, 18},
                     Qt::AlignLeft | Qt::AlignVCenter, name_of(bar));
  const QRectF line(at.left(), at.top() - 18.0, at.width(), 17.0);
  draw_text(painter, line, Qt::AlignLeft | Qt::AlignVCenter, name_of(bar));
  const double after = QFontMetricsF(plot_title_font()).horizontalAdvance(name_of(bar)) + 10.0;
  painter.setFont(plot_font());
  painter.setPen(theme.soft_ink);
  if (after < line.width() - 30.0)
    draw_text(painter, line.adjusted(after, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, bar.note);
}

std::vector<QRectF> parts_at(const PartsPlaces& places, const PartsBar& bar, std::size_t number) {
  const QRectF all = bar_at(places, number);
  std::vector<QRectF> parts;
  double sum = 0.0;
  for (const double part : bar.parts) {
    const double from = places.scale.at(sum);
    sum += part;
    parts.emplace_back(from, all.top(), places.scale.at(sum) - from, all.height());
  }
  return parts;
}

void draw_part(QPainter& painter, const QRectF& at, const Theme& theme, Look look,
               const QString& text) {
  if (at.width() <= 0.0) return;
  fill_look(painter, at, theme, look);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.paper, 1));
  if (at.width() > 2.0) painter.drawRect(at);
  const QFontMetricsF metrics(painter.font());
  const double needs = metrics.horizontalAdvance(text);
  if (needs + 10.0 > at.width() || at.height() < 14.0) return;
  const QColor color = color_of(theme, look);
  const QRectF label(at.center().x() - needs / 2 - 3, at.center().y() - 8, needs + 6, 16);
  painter.fillRect(label, color);
  painter.setPen(ink_on(color));
  painter.drawText(label, Qt::AlignCenter, text);
}

void draw_bar(QPainter& painter, const Theme& theme, const PartsPlot& plot,
              const PartsPlaces& places, std::size_t number) {
  const PartsBar& bar = plot.bars[number];
  const QRectF at = bar_at(places, number);
  draw_name(painter, theme, places, bar, at);
  painter.setFont(plot_font());
  const std::vector<QRectF> parts = parts_at(places, bar, number);
  for (std::size_t part = 0; part < parts.size(); ++part)
    draw_part(painter, parts[part], theme, plot.keys[part].first, bar.texts[part]);
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  const double end = parts.empty() ? places.scale.from : parts.back().right();
  draw_text(painter, {end + 6.0, at.center().y() - 9, at.right() - end - 6.0, 18},
            Qt::AlignLeft | Qt::AlignVCenter, bar.whole);
}

void draw_scale(QPainter& painter, const Theme& theme, const PartsPlot& plot,
                const PartsPlaces& places) {
  const double y = places.bars.bottom() + 2.0;
  painter.setFont(plot_font());
  painter.setPen(QPen(theme.frame, 1));
  painter.drawLine(QPointF(places.scale.from, y), QPointF(places.scale.to, y));
  const int most = std::clamp(static_cast<int>(places.bars.width() / 90.0), 2, 10);
  const std::vector<double> values = ticks(places.scale.values.low, places.scale.values.high, most);
  const std::vector<QString> texts = tick_texts(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = places.scale.at(values[i]);
    painter.setPen(QPen(theme.frame, 1));
    painter.drawLine(QPointF(x, y), QPointF(x, y + 4));
    painter.setPen(theme.soft_ink);
    draw_text(painter, {i == 0 ? x : x - 40, y + 5, 80, 16},
              (i == 0 ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter,
              i == 0 ? texts[i] + " " + plot.unit : texts[i]);
  }
}

}  // namespace

void draw(QPainter& painter, const QRectF& at, const Theme& theme, const PartsPlot& plot,
          std::optional<int> chosen) {
  if (plot.bars.empty()) return draw_empty(painter, at, theme, plot.empty);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  const PartsPlaces places = places_of(plot, at);
  painter.setFont(plot_title_font());
  painter.setPen(theme.ink);
  draw_text(painter, {at.left(), at.top(), at.width(), title_height}, Qt::AlignLeft, plot.title);
  draw_legend(painter, {at.left(), at.top() + title_height, at.width(), places.legend}, theme,
              plot.keys);
  for (std::size_t bar = 0; bar < plot.bars.size(); ++bar)
    draw_bar(painter, theme, plot, places, bar);
  draw_scale(painter, theme, plot, places);
  if (chosen)
    for (const Mark& mark : marks(plot, at))
      if (mark.id == *chosen) draw_choice(painter, mark.area, theme);
  painter.restore();
}

std::vector<Mark> marks(const PartsPlot& plot, const QRectF& at) {
  std::vector<Mark> all;
  if (plot.bars.empty()) return all;
  const PartsPlaces places = places_of(plot, at);
  for (std::size_t bar = 0; bar < plot.bars.size(); ++bar) {
    const std::vector<QRectF> parts = parts_at(places, plot.bars[bar], bar);
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (parts[part].width() > 0.0)
        all.push_back({parts[part], plot.bars[bar].tips[part], static_cast<int>(bar * 100 + part)});
  }
  return all;
}

}  // namespace quintet::gui
