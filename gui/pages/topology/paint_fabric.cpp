#include "gui/pages/topology/paint_fabric.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gui/pages/topology/paint_badges.h"
#include "gui/pages/topology/paint_legend.h"

namespace quintet::gui {

namespace {

constexpr double thinnest = 1.0, widest = 7.0;
constexpr int most_labelled = 40;

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

QFont sized(const QPainter& painter, double pixels) {
  QFont font = painter.font();
  font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixels))));
  return font;
}

// What marks the kind of a device beside its name.
std::optional<Look> look_of(const Topology& topology, const Part& part) {
  if (part.kind != PartKind::device) return std::nullopt;
  switch (topology.device(part.device).kind) {
    case DeviceKind::gpu:
      return Look::green;
    case DeviceKind::nic:
      return Look::sky;
    case DeviceKind::nvswitch:
      return Look::orange;
    case DeviceKind::network_switch:
      return Look::blue;
    case DeviceKind::cpu:
    case DeviceKind::pcie_switch:
      return Look::grey;
  }
  return std::nullopt;
}

class FabricPainter {
 public:
  FabricPainter(QPainter& painter, const FabricPicture& picture, const Theme& theme,
                const QTransform& view)
      : painter_(painter),
        picture_(picture),
        theme_(theme),
        view_(view),
        zoom_(std::hypot(view.m11(), view.m12())) {}

  void paint() {
    for (const Box& box : picture_.layout.boxes)
      if (box.open && box.part != 0) draw_frame(box);
    draw_bundles();
    for (const Box& box : picture_.layout.boxes)
      if (box.open && box.part != 0) draw_title(box);
    for (std::size_t box = 0; box < picture_.layout.boxes.size(); ++box)
      if (!picture_.layout.boxes[box].open) draw_box(static_cast<int>(box));
    draw_labels();
    draw_badges();
    draw_choice();
  }

 private:
  QRectF shown(const QRectF& rect) const { return view_.mapRect(rect); }
  const Part& part(const Box& box) const { return picture_.machine->tree.parts[index(box.part)]; }
  double line_zoom() const { return std::clamp(zoom_, 0.5, 1.5); }

  void draw_frame(const Box& box) {
    const QRectF rect = shown(box.rect);
    painter_.setPen(QPen(theme_.frame, 1));
    QColor fill = theme_.panel;
    fill.setAlpha(150);
    painter_.setBrush(fill);
    painter_.drawRoundedRect(rect, 6, 6);
  }

  // Above the lines, which run over frames.
  void draw_title(const Box& box) {
    const QRectF rect = shown(box.rect);
    const double pixels = std::min(13.0, (title_height - 4) * zoom_);
    if (pixels < 6) return;
    painter_.setFont(sized(painter_, pixels));
    const QString text =
        fitting_text("\u25be " + QString::fromStdString(part(box).name), rect.width() - 12);
    const QRectF title(rect.left() + 4, rect.top() + 3,
                       painter_.fontMetrics().horizontalAdvance(text) + 8, pixels * 1.5);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.panel);
    painter_.drawRoundedRect(title, 3, 3);
    painter_.setPen(theme_.soft_ink);
    painter_.drawText(title, Qt::AlignCenter, text);
  }

  QString fitting_text(const QString& text, double width) const {
    return painter_.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(width));
  }

  // Smaller where it would not fit otherwise, then shortened.
  void draw_text(const QRectF& rect, const QString& text, double pixels) {
    painter_.setFont(sized(painter_, pixels));
    const double width = painter_.fontMetrics().horizontalAdvance(text);
    if (width > rect.width())
      painter_.setFont(sized(painter_, std::max(6.0, std::floor(pixels * rect.width() / width))));
    painter_.drawText(rect, Qt::AlignCenter, fitting_text(text, rect.width() + 1));
  }

  void draw_box(int number) {
    const Box& box = picture_.layout.boxes[index(number)];
    const Part& own = part(box);
    const QRectF rect = shown(box.rect);
    const bool folded = !own.children.empty();
    const double corner = std::min(6.0, rect.height() / 5);
    painter_.setPen(QPen(folded ? theme_.soft_ink : theme_.frame, 1));
    painter_.setBrush(theme_.panel);
    // A second edge: there is more behind it.
    if (folded && rect.height() > 14)
      painter_.drawRoundedRect(rect.translated(3, 3), corner, corner);
    painter_.setBrush(theme_.paper);
    painter_.drawRoundedRect(rect, corner, corner);
    if (const auto look = look_of(picture_.machine->built, own)) {
      painter_.setPen(Qt::NoPen);
      painter_.setBrush(brush_of(theme_, *look));
      painter_.drawRect(QRectF(rect.left() + 1, rect.top() + 2, std::min(4.0, rect.width() / 8),
                               rect.height() - 4));
    }
    write_box(own, rect);
    draw_meter(number, rect);
  }

  void write_box(const Part& own, const QRectF& rect) {
    constexpr double least = 5.5, for_two = 2.9;
    const bool two_lines = !own.count.empty() && rect.height() / for_two >= least;
    const double pixels = std::min(12.0, rect.height() / (two_lines ? for_two : 1.8));
    if (pixels < least) return;
    const QRectF inside = rect.adjusted(own.children.empty() ? 6 : 3, 1, -2, two_lines ? -5 : -1);
    painter_.setPen(theme_.ink);
    QRectF first = inside;
    if (two_lines) first.setHeight(inside.height() / 2);
    const QString mark = own.children.empty() ? "" : "\u25b8 ";
    draw_text(first, mark + QString::fromStdString(own.label), pixels);
    if (!two_lines) return;
    painter_.setPen(theme_.soft_ink);
    draw_text(inside.adjusted(0, inside.height() / 2, 0, 0), QString::fromStdString(own.count),
              pixels * 0.9);
  }

  // The busiest link inside of a closed part, as a bar at its foot.
  void draw_meter(int number, const QRectF& rect) {
    const LoadSum& sum = picture_.sums.boxes[index(number)];
    if (!picture_.loaded || sum.links == 0 || rect.height() < 16) return;
    const QRectF room(rect.left() + 6, rect.bottom() - 5, rect.width() - 12, 3);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.grid);
    painter_.drawRect(room);
    const double share = std::min(1.0, sum.worst);
    painter_.setBrush(load_color(theme_, share));
    painter_.drawRect(QRectF(room.topLeft(), QSizeF(room.width() * share, room.height())));
  }

  void draw_bundles() {
    painter_.setBrush(Qt::NoBrush);
    std::vector<int> order(picture_.lines.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int one, int other) {
      return picture_.sums.bundles[index(one)].worst < picture_.sums.bundles[index(other)].worst;
    });
    for (const int bundle : order) draw_bundle(bundle);
  }

  void draw_bundle(int bundle) {
    const LoadSum& sum = picture_.sums.bundles[index(bundle)];
    QPen pen(color_of_bundle(picture_, theme_, bundle),
             width_of_bundle(picture_, bundle) * line_zoom());
    pen.setCapStyle(Qt::FlatCap);
    if (sum.failed == sum.links) {
      pen.setColor(theme_.warning);
      pen.setWidthF(1.5);
      pen.setDashPattern({4, 4});
    }
    painter_.setPen(pen);
    painter_.drawPath(view_.map(picture_.lines[index(bundle)]));
  }

  // Figures on lines, where there is room for them; the chosen one's always.
  void draw_labels() {
    const bool all = picture_.lines.size() <= most_labelled && zoom_ > 0.45;
    for (std::size_t bundle = 0; bundle < picture_.lines.size(); ++bundle) {
      const LoadSum& sum = picture_.sums.bundles[bundle];
      const bool chosen = static_cast<int>(bundle) == picture_.chosen_bundle;
      if (!picture_.loaded || (!chosen && (!all || sum.worst <= 0))) continue;
      const QString text = QString("%1 %").arg(sum.worst * 100, 0, 'f', sum.worst < 0.1 ? 1 : 0);
      write_on_line(picture_.lines[bundle], text, chosen);
    }
  }

  void write_on_line(const QPainterPath& line, const QString& text, bool chosen) {
    painter_.setFont(sized(painter_, 10));
    const QPointF middle = view_.map(line.pointAtPercent(chosen ? 0.5 : 0.42));
    const double width = painter_.fontMetrics().horizontalAdvance(text) + 8;
    const QRectF rect(middle.x() - width / 2, middle.y() - 7, width, 14);
    QColor back = chosen ? theme_.accent : theme_.paper;
    back.setAlpha(chosen ? 255 : 225);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(back);
    painter_.drawRoundedRect(rect, 3, 3);
    painter_.setPen(chosen ? theme_.accent_ink : theme_.ink);
    painter_.drawText(rect, Qt::AlignCenter, text);
  }

  void draw_badges() {
    for (std::size_t bundle = 0; bundle < picture_.bundle_badges.size(); ++bundle)
      if (!picture_.bundle_badges[bundle].empty())
        paint_badges(painter_, view_.map(picture_.lines[bundle].pointAtPercent(0.62)),
                     picture_.bundle_badges[bundle], theme_);
    for (std::size_t box = 0; box < picture_.box_badges.size(); ++box)
      if (!picture_.box_badges[box].empty())
        paint_badges(painter_, shown(picture_.layout.boxes[box].rect).topRight(),
                     picture_.box_badges[box], theme_);
  }

  void draw_choice() {
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.accent, 2.5));
    if (picture_.chosen_box >= 0)
      painter_.drawRoundedRect(
          shown(picture_.layout.boxes[index(picture_.chosen_box)].rect).adjusted(-2, -2, 2, 2), 6,
          6);
    if (picture_.chosen_bundle < 0) return;
    const Bundle& bundle = picture_.layout.bundles[index(picture_.chosen_bundle)];
    const double width = width_of_bundle(picture_, picture_.chosen_bundle) * line_zoom();
    QPainterPathStroker stroker;
    stroker.setWidth(width + 6);
    painter_.setPen(QPen(theme_.accent, 1.5));
    painter_.drawPath(
        stroker.createStroke(view_.map(picture_.lines[index(picture_.chosen_bundle)])));
    for (const int box : {bundle.one, bundle.other})
      painter_.drawRoundedRect(shown(picture_.layout.boxes[index(box)].rect), 5, 5);
  }

  QPainter& painter_;
  const FabricPicture& picture_;
  const Theme& theme_;
  const QTransform& view_;
  double zoom_;
};

void paint_title(QPainter& painter, const FabricPicture& picture, const Theme& theme,
                 const QSizeF& size) {
  painter.setFont(sized(painter, 13));
  painter.setPen(theme.ink);
  painter.drawText(QRectF(12, 6, size.width() - 24, 18), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(picture.title, Qt::ElideRight,
                                                    static_cast<int>(size.width() * 0.55)));
  painter.setPen(theme.soft_ink);
  painter.drawText(QRectF(12, 6, size.width() - 24, 18), Qt::AlignRight | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(picture.moment, Qt::ElideRight,
                                                    static_cast<int>(size.width() * 0.42)));
}

}  // namespace

QColor color_of_bundle(const FabricPicture& picture, const Theme& theme, int bundle) {
  const LoadSum& sum = picture.sums.bundles[index(bundle)];
  if (!picture.loaded || sum.worst <= 0) return theme.frame;
  return load_color(theme, sum.worst / picture.scale);
}

double width_of_bundle(const FabricPicture& picture, int bundle) {
  const LoadSum& sum = picture.sums.bundles[index(bundle)];
  if (!picture.loaded || sum.worst <= 0) return thinnest;
  return thinnest + (widest - thinnest) * std::min(1.0, sum.worst / picture.scale);
}

QTransform fitting(const FabricPicture& picture, const QSizeF& size) {
  constexpr double margin = 16, top = 30;
  const QRectF room(margin, top, std::max(1.0, size.width() - 2 * margin),
                    std::max(1.0, size.height() - legend_height - top - 8));
  const QRectF bounds = picture.layout.bounds;
  if (bounds.isEmpty()) return {};
  const double zoom =
      std::min({room.width() / bounds.width(), room.height() / bounds.height(), 1.6});
  QTransform view;
  view.translate(room.center().x(), room.center().y());
  view.scale(zoom, zoom);
  view.translate(-bounds.center().x(), -bounds.center().y());
  return view;
}

void paint_fabric(QPainter& painter, const QSizeF& size, const FabricPicture& picture,
                  const Theme& theme, const QTransform& view) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRectF({0, 0}, size), theme.paper);
  if (picture.machine != nullptr) {
    painter.setClipRect(QRectF(0, 0, size.width(), size.height() - legend_height));
    FabricPainter(painter, picture, theme, view).paint();
    painter.setClipping(false);
    const QRectF legend(0, size.height() - legend_height, size.width(), legend_height);
    paint_legend(painter, legend, picture, theme);
  }
  paint_title(painter, picture, theme, size);
  painter.restore();
}

}  // namespace quintet::gui
