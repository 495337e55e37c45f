#include "gui/command/qt_messages.h"

#include <QtGlobal>
#include <cstdio>

namespace quintet::gui {

namespace {

void show_message(QtMsgType, const QMessageLogContext&, const QString& text) {
  if (!is_noise(text)) std::fprintf(stderr, "%s\n", text.toLocal8Bit().constData());
}

}  // namespace

bool is_noise(const QString& message) {
  return message == "This plugin does not support propagateSizeHints()" ||
         message.startsWith("QStandardPaths: XDG_RUNTIME_DIR not set");
}

void keep_messages_quiet() {
  qInstallMessageHandler(show_message);
}

}  // namespace quintet::gui
