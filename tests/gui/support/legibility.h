// What of a window cannot be read: text that its widget has no room for, widgets that lie upon each
// other, text too like its background.
#pragma once

#include <QStringList>
#include <QWidget>

namespace quintet::gui {

// A sentence per finding; empty: all can be read. Views that scroll are left to their scroll bars.
QStringList unreadable(const QWidget& window);

}  // namespace quintet::gui
