#include "gui/command/gui_command.h"

#include <fmt/format.h>

#include <QApplication>
#include <QEventLoop>
#include <QMessageBox>
#include <QPixmap>
#include <QTimer>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "gui/command/qt_messages.h"
#include "gui/export/export.h"
#include "gui/scenario/scenario_command.h"
#include "gui/scenario/session_file.h"
#include "gui/window/autosave.h"
#include "gui/window/main_window.h"
#include "gui/window/opened_file.h"
#include "sim/asked/settings.h"
#include "sim/command/inputs.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/usage/complain.h"

namespace quintet::gui {

namespace {

struct GuiArguments {
  std::string given;  // a plan, a session or a trace
  Scenario scenario = {};
  std::vector<std::string> set;
  std::string recording, page, appearance = "light", folder, formats = "png,svg,csv",
                               size = "1600x900", screenshot;
};

constexpr std::array appearances{"light", "dark", "high-contrast"};

Options gui_options(GuiArguments& into) {
  Options options{
      {"plan", &into.given,
       "A plan (file or shipped name), a session, or a trace; default: the 1,024-GPU example",
       "FILE"},
      {"--model", &into.scenario.model, "Hugging Face config.json, its folder, or a shipped model",
       "FILE"},
      {"--topology", &into.scenario.topology, "Topology file, or a shipped machine", "FILE"},
      {"--costs", &into.scenario.costs,
       "Cost table; default: the shipped one for the machine's GPU", "FILE"},
      {"--stack", &into.scenario.stack, "Training software whose kernels compute", "FILE"},
      hosts_option(into.scenario.hosts),
      set_option(into.set)};
  const Options faults = fault_options(into.scenario.faults);
  options.insert(options.end(), faults.begin(), faults.end());
  const Options shown{
      {"--recording", &into.recording, "A trace to hold beside the prediction", "FILE"},
      {"--page", &into.page, "The page in front, or the only one to export", "NAME"},
      {"--appearance", &into.appearance, "light, dark or high-contrast", "WORD", Need::has_default,
       OneOf{appearances}},
      {"--export", &into.folder,
       "Write pictures and tables into this folder and end; needs no "
       "display",
       "FOLDER"},
      {"--formats", &into.formats, "Which of png, svg and csv to export", "LIST",
       Need::has_default},
      {"--size", &into.size, "Pixels of exported pictures, and of the window", "WIDTHxHEIGHT",
       Need::has_default},
      {"--screenshot", &into.screenshot, "Write a picture of the whole window and end", "FILE"}};
  options.insert(options.end(), shown.begin(), shown.end());
  return options;
}

bool without_display(const GuiArguments& arguments) {
  return !arguments.folder.empty() || !arguments.screenshot.empty();
}

Result<QSize> size_asked(const std::string& given) {
  int width = 0, height = 0, end = 0;
  const bool read = std::sscanf(given.c_str(), "%dx%d%n", &width, &height, &end) == 2 &&
                    end == static_cast<int>(given.size());
  if (read && width >= 320 && height >= 240 && width <= 16384 && height <= 16384)
    return QSize(width, height);
  return Error{"--size", fmt::format("found {}; give pixels from 320x240 to 16384x16384, such as "
                                     "1600x900",
                                     given)};
}

Result<std::vector<ExportFormat>> formats_asked(const std::string& given) {
  std::vector<ExportFormat> formats;
  for (const std::string& word : listed(given)) {
    std::optional<ExportFormat> found;
    for (const ExportFormat each : {ExportFormat::png, ExportFormat::svg, ExportFormat::csv})
      if (name_of(each) == word) found = each;
    if (!found)
      return Error{"--formats", fmt::format("found {}; give png, svg, csv or several of "
                                            "them",
                                            word)};
    formats.push_back(*found);
  }
  return formats;
}

// What the words before the window say of it.
Result<Session> session_asked(const GuiArguments& arguments) {
  Session session;
  Scenario& scenario = session.scenario;
  const bool is_file = std::filesystem::exists(arguments.given);
  if (is_file) {
    const Result<OpenedKind> kind = kind_of_file(arguments.given);
    if (!kind) return kind.error();
    if (*kind == OpenedKind::session) {
      Result<Session> read = read_session(arguments.given);
      if (!read) return read.error();
      session = std::move(*read);
    } else if (*kind == OpenedKind::trace) {
      session.recording = arguments.given;
      session.view.page = "timeline";
    } else if (*kind == OpenedKind::plan) {
      scenario.plan = arguments.given;
    } else {
      return Error{arguments.given,
                   "is no plan, session or trace; models, machines and cost tables "
                   "stand behind --model, --topology and --costs"};
    }
  } else if (!arguments.given.empty()) {
    scenario.plan = arguments.given;
  }
  const Scenario& asked = arguments.scenario;
  if (!asked.model.empty()) scenario.model = asked.model;
  if (!asked.topology.empty()) scenario.topology = asked.topology;
  if (!asked.costs.empty()) scenario.costs = asked.costs;
  if (!asked.stack.empty()) scenario.stack = asked.stack;
  if (asked.hosts) scenario.hosts = asked.hosts;
  if (!asked.faults.empty()) scenario.faults = asked.faults;
  const Result<AskedFields> fields = asked_fields(arguments.set);
  if (!fields) return fields.error();
  for (const std::string& each : arguments.set) {
    const std::size_t equals = each.find('=');
    scenario = with_setting(scenario, each.substr(0, equals), each.substr(equals + 1));
  }
  if (!arguments.recording.empty()) session.recording = arguments.recording;
  if (!arguments.page.empty()) session.view.page = arguments.page;
  session.view.appearance = arguments.appearance;
  return session;
}

bool all_done(Document& document, const MainWindow& window) {
  if (document.worker().busy() || document.reader().busy()) return false;
  for (const Kept& each : document.kept())
    if (each.outcome == nullptr && !each.error) return false;
  for (const Page* page : window.pages())
    if (page->busy()) return false;
  return true;
}

void wait_for(Document& document, const MainWindow& window) {
  QEventLoop loop;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
    if (all_done(document, window)) loop.quit();
  });
  timer.start(10);
  loop.exec();
}

ExitCode no_page(const GuiArguments& arguments, const MainWindow& window) {
  std::vector<std::string> names;
  for (const Page* page : window.pages()) names.push_back(page->name().toStdString());
  return complain(
      Error{"--page", fmt::format("found {}; there are {}", arguments.page, joined(names))});
}

ExitCode write_files(const GuiArguments& arguments, Document& document, MainWindow& window,
                     ExportWish wish) {
  std::optional<std::string> wrong;
  QObject::connect(&document, &Document::failed, &window,
                   [&](const QString& text) { wrong = text.toStdString(); });
  wait_for(document, window);
  if (wrong) return complain(Error{"", *wrong});
  // What changed is laid out before it is drawn.
  for (int round = 0; round < 3; ++round) QApplication::processEvents();
  if (!arguments.folder.empty()) {
    wish.folder = arguments.folder;
    for (Page* page : window.pages()) {
      if (!arguments.page.empty() && page->name().toStdString() != arguments.page) continue;
      const auto files = export_page(*page, wish);
      if (!files) return complain(files.error());
      for (const auto& file : *files) std::printf("%s\n", file.c_str());
    }
  }
  if (!arguments.screenshot.empty() &&
      !window.grab().save(QString::fromStdString(arguments.screenshot)))
    return complain(Error{arguments.screenshot,
                          "cannot be written; its folder must be there, and "
                          "its ending be .png or .jpg"});
  return ExitCode::done;
}

// What an earlier window left that was killed.
void offer_left_session(Document& document, MainWindow& window) {
  const auto left = left_session(autosave_folder());
  if (!left) return;
  const auto answer = QMessageBox::question(
      &window, "An earlier window ended without saving",
      "Open what it had? No removes it for good.",
      QMessageBox::Yes | QMessageBox::No | QMessageBox::Cancel, QMessageBox::Yes);
  if (answer == QMessageBox::Cancel) return;
  if (answer == QMessageBox::Yes) {
    document.open(left->session);
    window.show_page(QString::fromStdString(left->session.view.page));
  }
  std::error_code gone;
  std::filesystem::remove(left->file, gone);
}

ExitCode open_window(const GuiArguments& arguments) {
  const Result<Session> session = session_asked(arguments);
  if (!session) return complain(session.error());
  const Result<QSize> size = size_asked(arguments.size);
  if (!size) return complain(size.error());
  const Result<std::vector<ExportFormat>> formats = formats_asked(arguments.formats);
  if (!formats) return complain(formats.error());
  if (without_display(arguments)) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY") &&
      qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
    return complain(Error{"",
                          "there is no display to open a window on; --export FOLDER and "
                          "--screenshot FILE need none"});
  keep_messages_quiet();
  int count = 1;
  std::string program = "quintet-gui";
  std::array<char*, 2> words{program.data(), nullptr};
  QApplication application(count, words.data());
  QApplication::setApplicationName("Quintet");
  QGuiApplication::setDesktopFileName("quintet");  // whose icon desktops show
  QApplication::setStyle("Fusion");
  Document document(*session);
  MainWindow window(document, autosave_folder());
  if (!arguments.page.empty() && window.page(QString::fromStdString(arguments.page)) == nullptr)
    return no_page(arguments, window);
  window.resize(*size);
  window.show();
  document.load_recording(QString::fromStdString(session->recording));
  document.predict();
  if (without_display(arguments))
    return write_files(arguments, document, window, {{}, *formats, *size});
  QTimer::singleShot(0, &window, [&] { offer_left_session(document, window); });
  return QApplication::exec() == 0 ? ExitCode::done : ExitCode::answer_is_no;
}

}  // namespace

std::unique_ptr<Verb> gui_verb() {
  return make_verb<GuiArguments>(
      {"gui", "Open the window: change machine and plan, and see what it does to the step",
       "Examples:\n"
       "  quintet gui\n"
       "  quintet gui llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology dgx-h100-1024 "
       "--fail leaf0\n"
       "  quintet gui --export pictures --page topology --formats svg,csv\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {gui_options, open_window});
}

}  // namespace quintet::gui
