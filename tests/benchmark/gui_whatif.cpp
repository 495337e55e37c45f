// How long the window takes from an edit to the new picture, in the 1,024-GPU example; and from a
// program's start to its first picture.
//
//   QT_QPA_PLATFORM=offscreen gui_whatif [BUILD/quintet-gui]
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "gui/document/document.h"
#include "gui/pages/topology/topology_page.h"
#include "gui/window/main_window.h"

namespace quintet::gui {
namespace {

void wait(Document& document, const Page& page) {
  while (document.worker().busy() || page.busy())
    QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
}

struct Times {
  std::vector<double> all;

  void tell(const char* what) {
    std::sort(all.begin(), all.end());
    std::printf("%-44s median %6.1f ms, %6.1f to %6.1f, %zu times\n", what, all[all.size() / 2],
                all.front(), all.back(), all.size());
  }
};

// From the edit, through the prediction in its thread, until the picture has been painted; and what
// all threads computed meanwhile, which others on the machine do not lengthen.
struct Edited {
  double wall = 0, computed = 0;
};

Edited edited(Document& document, TopologyPage& page, const Scenario& next) {
  QElapsedTimer timer;
  timer.start();
  const std::clock_t before = std::clock();
  document.edit("Edit", next);
  wait(document, page);
  page.canvas().repaint();
  return {static_cast<double>(timer.nsecsElapsed()) * 1e-6,
          1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC};
}

void what_ifs(Document& document, TopologyPage& page) {
  Times fails, computed, slows, undone, predictions, painting;
  const Scenario usual = document.scenario();
  for (int round = 0; round < 9; ++round) {
    const std::string cable = "leaf" + std::to_string(round) + "-spine" + std::to_string(round);
    const Edited failed = edited(document, page, with_fault(usual, cable, {{}, {}, true}));
    fails.all.push_back(failed.wall);
    computed.all.push_back(failed.computed);
    predictions.all.push_back(document.outcome()->took.value * 1e3);
    undone.all.push_back(edited(document, page, usual).wall);
    slows.all.push_back(edited(document, page, with_fault(usual, cable, {0.5, {}, false})).wall);
    edited(document, page, usual);
    QElapsedTimer timer;
    timer.start();
    page.canvas().repaint();
    painting.all.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
  }
  fails.tell("fail one cable, until the picture shows it");
  computed.tell("  of all threads, computed");
  predictions.tell("  of these, outcome_of()");
  undone.tell("restore it");
  slows.tell("slow it to 50 %");
  painting.tell("paint the picture");
}

void starts(const QString& program) {
  QTemporaryDir folder;
  Times times;
  for (int round = 0; round < 5; ++round) {
    QElapsedTimer timer;
    timer.start();
    QProcess::execute(program, {"--screenshot", folder.filePath("window.png")});
    times.all.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
  }
  times.tell("start, predict, write the picture, end");
}

int measure(int count, char** words) {
  QApplication application(count, words);
  QApplication::setStyle("Fusion");
  Document document;
  MainWindow window(document, {});
  window.resize(1600, 900);
  window.show();
  window.show_page("topology");
  auto& page = dynamic_cast<TopologyPage&>(*window.page("topology"));
  document.predict();
  wait(document, page);
  page.canvas().repaint();
  what_ifs(document, page);
  if (count > 1) starts(words[1]);
  return 0;
}

}  // namespace
}  // namespace quintet::gui

int main(int count, char** words) {
  return quintet::gui::measure(count, words);
}
