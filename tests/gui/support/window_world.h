// What several of the window's suites need.
#pragma once

#include <QString>

#include "gui/document/document.h"

namespace quintet::gui {

// A small scenario that is predicted in a few milliseconds: four stages on four ideal GPUs.
Scenario small_scenario();

// Runs the event loop until nothing is predicted or read any more; false after ten seconds.
bool settled(Document& document);

// What a command prints on its standard output; ends the test's process where it fails to start.
QString printed_by(const QString& program, const QStringList& arguments);

}  // namespace quintet::gui
