#include "tests/gui/support/legibility.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QMetaObject>
#include <algorithm>
#include <cmath>

namespace quintet::gui {

namespace {

QString name_of(const QWidget& widget) {
  const QString text = widget.property("text").toString();
  const QString name =
      widget.objectName().isEmpty() ? widget.accessibleName() : widget.objectName();
  return QString("%1 %2 \"%3\"").arg(widget.metaObject()->className(), name, text.left(40));
}

bool inside_scroll_area(const QWidget& widget) {
  for (const QWidget* parent = widget.parentWidget(); parent != nullptr;
       parent = parent->parentWidget())
    if (qobject_cast<const QAbstractScrollArea*>(parent) != nullptr) return true;
  return false;
}

// What one line of its text needs in width, and all of it in height.
QStringList cut_text(const QWidget& widget) {
  const auto* label = qobject_cast<const QLabel*>(&widget);
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  const auto* box = qobject_cast<const QComboBox*>(&widget);
  if (label == nullptr && button == nullptr && box == nullptr) return {};
  // Qt's own small buttons of docks and tool bars have pictures.
  if (widget.inherits("QDockWidgetTitleButton") || widget.inherits("QToolBarExtension")) return {};
  if (label != nullptr && label->text().isEmpty()) return {};
  const bool wraps = label != nullptr && label->wordWrap();
  const QSize needs = box != nullptr
                          ? QSize(box->fontMetrics().horizontalAdvance(box->currentText()) + 24,
                                  box->fontMetrics().height())
                          : widget.sizeHint();
  if (wraps) {
    if (label->heightForWidth(label->width()) > label->height() + 1)
      return {name_of(widget) + " is cut below"};
    return {};
  }
  if (needs.width() > widget.width() + 1)
    return {QString("%1 needs %2 pixels and has %3")
                .arg(name_of(widget))
                .arg(needs.width())
                .arg(widget.width())};
  if (needs.height() > widget.height() + 2)
    return {QString("%1 needs %2 pixels of height and has %3")
                .arg(name_of(widget))
                .arg(needs.height())
                .arg(widget.height())};
  return {};
}

// The relative luminance of WCAG 2.1.
double luminance(const QColor& color) {
  const auto linear = [](double channel) {
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

// WCAG 2.1 asks 4.5 of text, 3 of large text and of what is switched off nothing.
QStringList pale_text(const QWidget& widget) {
  if (qobject_cast<const QLabel*>(&widget) == nullptr || !widget.isEnabled()) return {};
  const double ink = luminance(widget.palette().color(widget.foregroundRole()));
  const double paper = luminance(widget.palette().color(widget.backgroundRole()));
  const double contrast = (std::max(ink, paper) + 0.05) / (std::min(ink, paper) + 0.05);
  if (contrast >= 4.5) return {};
  return {QString("%1 has a contrast of %2").arg(name_of(widget)).arg(contrast)};
}

// Children of one parent that a layout placed.
QStringList overlaps(const QWidget& parent) {
  QStringList found;
  if (parent.layout() == nullptr) return found;
  std::vector<const QWidget*> placed;
  for (int i = 0; i < parent.layout()->count(); ++i)
    if (const QWidget* widget = parent.layout()->itemAt(i)->widget();
        widget != nullptr && widget->isVisible())
      placed.push_back(widget);
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (std::size_t j = i + 1; j < placed.size(); ++j)
      if (placed[i]->geometry().intersects(placed[j]->geometry()))
        found << name_of(*placed[i]) + " lies upon " + name_of(*placed[j]);
  return found;
}

}  // namespace

QStringList unreadable(const QWidget& window) {
  QStringList found;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    found += overlaps(*widget);
    found += pale_text(*widget);
    if (!inside_scroll_area(*widget)) found += cut_text(*widget);
    const QRect whole(widget->mapTo(&window, QPoint(0, 0)), widget->size());
    if (!inside_scroll_area(*widget) && !window.rect().contains(whole) &&
        widget->window() == &window)
      found << name_of(*widget) + " reaches out of the window";
  }
  return found;
}

}  // namespace quintet::gui
