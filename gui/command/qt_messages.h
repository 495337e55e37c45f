// What Qt says on the standard error, without what it says of every window that has no display.
#pragma once

#include <QString>

namespace quintet::gui {

// From here on; everything else goes to the standard error as it is.
void keep_messages_quiet();

// Whether nobody needs to know: of the offscreen platform that it passes no size hints on, and of a
// process without XDG_RUNTIME_DIR that it takes a folder of its own.
bool is_noise(const QString& message);

}  // namespace quintet::gui
