#include "tests/gui/support/window_world.h"

#include <QProcess>
#include <QtTest>

namespace quintet::gui {

Scenario small_scenario() {
  Scenario scenario;
  scenario.model = "toy-pipeline";
  scenario.topology = "pipeline-4-20ms";
  scenario.plan = "toy-pipeline-1f1b";
  scenario.costs = "toy-pipeline";
  return scenario;
}

bool settled(Document& document) {
  const auto rests = [&] {
    bool missing = false;
    for (const Kept& each : document.kept()) missing = missing || (!each.outcome && !each.error);
    return !document.worker().busy() && !document.reader().busy() && !missing;
  };
  return QTest::qWaitFor(rests, 10000);
}

QString printed_by(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForFinished(60000)) qFatal("%s did not end", qPrintable(program));
  return QString::fromUtf8(process.readAllStandardOutput());
}

}  // namespace quintet::gui
