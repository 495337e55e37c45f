#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/pages/plan/bar_drawing.h"
#include "gui/pages/plan/plan_pictures.h"

namespace quintet::gui {

namespace {

// In the order of parts_of().
constexpr std::array looks{Look::blue,   Look::vermillion, Look::yellow, Look::green,
                           Look::purple, Look::sky,        Look::grey};

QString gibibytes(Bytes size) {
  return QString::fromStdString(fmt::format("{:.2f}", size.value / 0x1p30));
}

QString end_text(const RankMemory& memory, Bytes capacity) {
  const Bytes over = total(memory) - capacity;
  if (capacity.value > 0 && over.value > 0) return gibibytes(over) + " GiB too much";
  return gibibytes(total(memory)) + " GiB";
}

std::vector<Key> keys_of(const Theme& theme, const MemoryBars& bars) {
  std::vector<Key> keys;
  const auto names = parts_of(RankMemory{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_there = std::any_of(
        bars.stages.begin(), bars.stages.end(),
        [i](const RankMemory& memory) { return parts_of(memory)[i].size.value >= 0.005 * 0x1p30; });
    if (is_there)
      keys.push_back(
          {fill_of(theme, looks[i]),
           QString::fromUtf8(names[i].name.data(), static_cast<qsizetype>(names[i].name.size()))});
  }
  return keys;
}

struct Scale {
  QRectF bars;
  double most = 1;  // bytes at the right end
  double x(double bytes) const { return bars.left() + bars.width() * bytes / most; }
};

void draw_bar(QPainter& painter, const Theme& theme, const Scale& scale, const RankMemory& memory,
              Bytes capacity, double top, double height) {
  double sum = 0;
  const auto parts = parts_of(memory);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double left = scale.x(sum);
    sum += parts[i].size.value;
    const QRectF box(left, top, scale.x(sum) - left, height);
    if (box.width() > 0.3) fill_box(painter, box, theme, fill_of(theme, looks[i]));
  }
  if (capacity.value <= 0 || sum <= capacity.value) return;
  const QRectF over(scale.x(capacity.value), top, scale.x(sum) - scale.x(capacity.value), height);
  painter.fillRect(over, QBrush(theme.paper, Qt::Dense4Pattern));
  painter.fillRect(over, QBrush(theme.warning, Qt::DiagCrossPattern));
  painter.setPen(QPen(theme.warning, 2));
  painter.drawRect(over);
}

void draw_capacity(QPainter& painter, const Theme& theme, const Scale& scale, Bytes capacity,
                   double unit) {
  if (capacity.value <= 0) return;
  const double x = scale.x(capacity.value);
  painter.setPen(QPen(theme.ink, 1.5 * unit, Qt::DashLine));
  painter.drawLine(QPointF(x, scale.bars.top() - 2 * unit), QPointF(x, scale.bars.bottom()));
  painter.setFont(font_of(painter, unit * 0.92));
  const QString text = "capacity " + gibibytes(capacity) + " GiB";
  const double width = QFontMetricsF(painter.font()).horizontalAdvance(text);
  const double left = std::min(x - width / 2, scale.bars.right() - width);
  painter.drawText(QPointF(left, scale.bars.top() - 4 * unit), text);
}

bool overflows(const RankMemory& memory, Bytes capacity) {
  return capacity.value > 0 && total(memory) > capacity;
}

// Where names, bars and ends of bars lie.
struct Layout {
  Scale scale;
  QRectF all;
  double unit = 1, names = 0, ends = 0, pitch = 0;
};

Layout layout_of(const QRectF& all, double top, double bottom, const QFontMetricsF& metrics,
                 const MemoryBars& bars, double unit) {
  Layout layout{{{}, bars.capacity.value}, all, unit};
  for (const RankMemory& memory : bars.stages) {
    const QString name = "stage " + QString::number(memory.stage);
    layout.names = std::max(layout.names, metrics.horizontalAdvance(name));
    layout.ends = std::max(layout.ends, metrics.horizontalAdvance(end_text(memory, bars.capacity)));
    layout.scale.most = std::max(layout.scale.most, total(memory).value);
  }
  layout.scale.most = std::max(layout.scale.most * 1.01, 1.0);
  const auto count = static_cast<double>(bars.stages.size());
  layout.pitch = std::min(std::max(4.0, bottom - top) / count, 34 * unit);
  layout.scale.bars = QRectF(all.left() + layout.names + 6 * unit, top,
                             std::max(20.0, all.width() - layout.names - layout.ends - 14 * unit),
                             layout.pitch * count);
  return layout;
}

void draw_texts(QPainter& painter, const Theme& theme, const Layout& layout,
                const RankMemory& memory, Bytes capacity, double middle) {
  const double line = QFontMetricsF(painter.font()).height();
  painter.setPen(theme.ink);
  painter.drawText(QRectF(layout.all.left(), middle - line / 2, layout.names, line),
                   Qt::AlignRight | Qt::AlignVCenter, "stage " + QString::number(memory.stage));
  painter.setPen(overflows(memory, capacity) ? theme.warning : theme.ink);
  painter.drawText(QRectF(layout.scale.bars.right() + 6 * layout.unit, middle - line / 2,
                          layout.ends + 4 * layout.unit, line),
                   Qt::AlignLeft | Qt::AlignVCenter, end_text(memory, capacity));
}

void draw_stages(QPainter& painter, const Theme& theme, const Layout& layout,
                 const MemoryBars& bars) {
  const QFont font = font_of(painter, layout.unit * 0.92);
  const double pitch = layout.pitch;
  const double height = std::max(1.0, pitch - std::min(4 * layout.unit, pitch * 0.25));
  // Of many stages every so many have a name.
  const auto each =
      static_cast<std::size_t>(std::max(1.0, std::ceil(QFontMetricsF(font).height() / pitch)));
  for (std::size_t i = 0; i < bars.stages.size(); ++i) {
    const double top = layout.scale.bars.top() + pitch * static_cast<double>(i);
    draw_bar(painter, theme, layout.scale, bars.stages[i], bars.capacity, top, height);
    if (i % each != 0) continue;
    painter.setFont(font);
    draw_texts(painter, theme, layout, bars.stages[i], bars.capacity, top + height / 2);
  }
}

}  // namespace

void paint_memory(QPainter& painter, const QSizeF& size, const Theme& theme,
                  const MemoryBars& bars) {
  painter.fillRect(QRectF({0, 0}, size), theme.paper);
  const double unit = unit_of(size), margin = 8 * unit, title = 18 * unit;
  const QRectF all = QRectF({0, 0}, size).adjusted(margin, 4 * unit, -margin, -4 * unit);
  const bool over =
      std::any_of(bars.stages.begin(), bars.stages.end(),
                  [&](const RankMemory& memory) { return overflows(memory, bars.capacity); });
  draw_title(painter, {all.left(), all.top(), all.width() - 60, title}, theme,
             "Memory of each stage", bars.says, unit, over);
  if (bars.stages.empty()) return;
  const double keys = draw_keys(painter, all, theme, keys_of(theme, bars), unit);
  const QFontMetricsF metrics(font_of(painter, unit * 0.92));
  const double top = all.top() + title + metrics.height() + 3 * unit;
  const Layout layout = layout_of(all, top, all.bottom() - keys - 3 * unit, metrics, bars, unit);
  draw_stages(painter, theme, layout, bars);
  draw_capacity(painter, theme, layout.scale, bars.capacity, unit);
}

}  // namespace quintet::gui
