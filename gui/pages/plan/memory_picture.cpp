#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

void paint_memory(QPainter& painter, const QSizeF& size, const Theme& theme,
                  const MemoryBars& bars) {
  painter.fillRect(QRectF({0, 0}, size), theme.paper);
  const double unit = unit_of(size), margin = 8 * unit;
  const QRectF all = QRectF({0, 0}, size).adjusted(margin, 4 * unit, -margin, -4 * unit);
  const bool over =
      std::any_of(bars.stages.begin(), bars.stages.end(), [&](const RankMemory& memory) {
        return bars.capacity.value > 0 && total(memory) > bars.capacity;
      });
  const double title = 18 * unit;
  draw_title(painter, {all.left(), all.top(), all.width() - 60, title}, theme,
             "Memory of each stage", bars.says, unit, over);
  if (bars.stages.empty()) return;
  const double keys = draw_keys(painter, all, theme, keys_of(theme, bars), unit);

  const QFont font = font_of(painter, unit * 0.92);
  const QFontMetricsF metrics(font);
  double names = 0, ends = 0;
  Scale scale{{}, bars.capacity.value};
  for (const RankMemory& memory : bars.stages) {
    names = std::max(names, metrics.horizontalAdvance("stage " + QString::number(memory.stage)));
    ends = std::max(ends, metrics.horizontalAdvance(end_text(memory, bars.capacity)));
    scale.most = std::max(scale.most, total(memory).value);
  }
  scale.most = std::max(scale.most * 1.01, 1.0);
  const double top = all.top() + title + metrics.height() + 3 * unit;
  const double bottom = all.bottom() - keys - 3 * unit;
  scale.bars =
      QRectF(all.left() + names + 6 * unit, top,
             std::max(20.0, all.width() - names - ends - 14 * unit), std::max(4.0, bottom - top));
  const double pitch =
      std::min(scale.bars.height() / static_cast<double>(bars.stages.size()), 34 * unit);
  const double height = std::max(1.0, pitch - std::min(4 * unit, pitch * 0.25));
  // Of many stages every so many have a name.
  const auto each = static_cast<std::size_t>(std::max(1.0, std::ceil(metrics.height() / pitch)));
  scale.bars.setHeight(pitch * static_cast<double>(bars.stages.size()));
  for (std::size_t i = 0; i < bars.stages.size(); ++i) {
    const double y = top + pitch * static_cast<double>(i);
    draw_bar(painter, theme, scale, bars.stages[i], bars.capacity, y, height);
    if (i % each != 0) continue;
    painter.setFont(font);
    painter.setPen(theme.ink);
    const double middle = y + height / 2;
    const double line = metrics.height();
    painter.drawText(QRectF(all.left(), middle - line / 2, names, line),
                     Qt::AlignRight | Qt::AlignVCenter,
                     "stage " + QString::number(bars.stages[i].stage));
    const bool too_much = bars.capacity.value > 0 && total(bars.stages[i]) > bars.capacity;
    painter.setPen(too_much ? theme.warning : theme.ink);
    painter.drawText(
        QRectF(scale.bars.right() + 6 * unit, middle - line / 2, ends + 4 * unit, line),
        Qt::AlignLeft | Qt::AlignVCenter, end_text(bars.stages[i], bars.capacity));
  }
  draw_capacity(painter, theme, scale, bars.capacity, unit);
}

}  // namespace quintet::gui
