// The plan page as a person uses it: keys, mouse, files; and its numbers beside the command's.
#include "gui/pages/plan/plan_page.h"

#include <QComboBox>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include "gui/scenario/scenario_command.h"
#include "gui/window/main_window.h"
#include "tests/gui/support/legibility.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

// A document with its page in a window of its own, predicted once.
struct Shown {
  explicit Shown(const Scenario& scenario = small_scenario())
      : document(session_of(scenario)), page(document, nullptr) {
    page.resize(1280, 520);
    page.show();
    document.predict();
    predicted = settled(document);
  }
  static Session session_of(const Scenario& scenario) {
    Session session;
    session.scenario = scenario;
    return session;
  }
  QTreeView& tree() { return page.panel().tree(); }

  // As a person does it: choose the field, F2, an editor has the keyboard.
  template <class Editor>
  Editor* edit(const std::string& field) {
    page.panel().choose(field);
    QTest::keyClick(&tree(), Qt::Key_F2);
    return tree().viewport()->findChild<Editor*>();
  }

  Document document;
  PlanPage page;
  bool predicted = false;
};

// The view takes the value once the editor has seen the key.
void enter(QWidget* editor) {
  QTest::keyClick(editor, Qt::Key_Return);
  QCoreApplication::processEvents();
}

QJsonObject printed_json(const Scenario& scenario) {
  QStringList words;
  for (const std::string& word : command_words(scenario)) words << QString::fromStdString(word);
  return QJsonDocument::fromJson(printed_by(QUINTET_PROGRAM, words.mid(1) << "--json"
                                                                          << "-q")
                                     .toUtf8())
      .object();
}

// Of a report, all figures without the names of plan and files.
QJsonObject figures_of(QJsonObject report) {
  for (const char* name : {"model", "topology", "costs", "plans"}) report.remove(name);
  for (const QString& key : report.keys()) {
    if (!report[key].isArray()) continue;
    QJsonArray all;
    for (const QJsonValue& each : report[key].toArray()) {
      QJsonObject entry = each.toObject();
      entry.remove("name");
      entry.remove("plan");
      entry.remove("file");
      all.append(entry);
    }
    report[key] = all;
  }
  return report;
}

// Where two reports differ first; empty: nowhere.
QString difference_of(const QJsonValue& one, const QJsonValue& other, const QString& path = "") {
  if (one == other) return "";
  if (one.isObject() && other.isObject()) {
    for (const QString& key : one.toObject().keys()) {
      const QString found =
          difference_of(one.toObject()[key], other.toObject()[key], path + "." + key);
      if (!found.isEmpty()) return found;
    }
    return path + " has other keys";
  }
  if (one.isArray() && other.isArray() && one.toArray().size() == other.toArray().size()) {
    for (qsizetype i = 0; i < one.toArray().size(); ++i) {
      const QString found =
          difference_of(one.toArray()[i], other.toArray()[i], path + QString("[%1]").arg(i));
      if (!found.isEmpty()) return found;
    }
  }
  const auto words = [](const QJsonValue& value) {
    return QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact).left(120);
  };
  return path + ": " + words(one) + " and " + words(other);
}

class PlanPageTest : public QObject {
  Q_OBJECT

 private slots:
  void a_whole_number_is_edited_by_keys();
  void a_word_is_chosen_by_keys();
  void a_value_that_cannot_be_is_refused_in_its_row();
  void a_field_is_left_to_the_file_by_keys();
  void what_does_not_fit_is_listed_and_a_click_leads_there();
  void the_step_before_a_plan_that_does_not_fit_stays_to_compare_with();
  void memory_over_capacity_is_said();
  void parts_of_the_last_change_sum_to_its_difference();
  void changes_stay_in_a_table();
  void inputs_are_chosen_and_undone();
  void saved_files_give_exactly_the_same();
  void half_written_files_change_nothing_data();
  void half_written_files_change_nothing();
  void everything_has_a_name();
  void with_much_to_say_all_can_be_read_data();
  void with_much_to_say_all_can_be_read();
};

void PlanPageTest::a_whole_number_is_edited_by_keys() {
  Shown shown;
  QVERIFY(shown.predicted);
  auto* box = shown.edit<QSpinBox>("parallelism.micro_batches");
  QVERIFY(box != nullptr);
  QCOMPARE(box->minimum(), 1);
  QCOMPARE(box->maximum(), 1 << 20);
  QTest::keyClick(box, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(box, "6");
  enter(box);
  const Scenario expected = with_setting(small_scenario(), "parallelism.micro_batches", "6");
  QCOMPARE(shown.document.scenario(), expected);
  QVERIFY(settled(shown.document));
  const QJsonArray steps = printed_json(expected)["breakdown"].toArray();
  QCOMPARE(static_cast<std::int64_t>(steps[0].toObject()["step"].toDouble()),
           shown.page.steps().now()->mean.step.picoseconds);
  shown.document.undo_stack().undo();
  QCOMPARE(shown.document.scenario(), small_scenario());
}

void PlanPageTest::a_word_is_chosen_by_keys() {
  Shown shown;
  auto* box = shown.edit<QComboBox>("network.routing");
  QVERIFY(box != nullptr);
  QCOMPARE(box->itemText(box->count() - 1), QString("as the file says"));
  const QString first = box->currentText();
  QTest::keyClick(box, Qt::Key_Down);
  QVERIFY(setting(shown.document.scenario(), "network.routing").has_value());
  QVERIFY(*setting(shown.document.scenario(), "network.routing") != first.toStdString());
}

void PlanPageTest::a_value_that_cannot_be_is_refused_in_its_row() {
  Shown shown;
  QSignalSpy complaints(&shown.document, &Document::failed);
  auto* line = shown.edit<QLineEdit>("ccl.bucket");
  QVERIFY(line != nullptr);
  QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(line, "25 XB");
  QVERIFY2(line->toolTip().contains("MiB"), qPrintable(line->toolTip()));  // while it is typed
  enter(line);
  QCOMPARE(shown.document.scenario(), small_scenario());
  QCOMPARE(complaints.count(), 1);
  const QModelIndex row = shown.page.fields().index_of("ccl.bucket");
  QCOMPARE(row.data(FieldTreeModel::problem_role), complaints[0][0]);
  QVERIFY(row.siblingAtColumn(0).data().toString().endsWith("!"));
}

void PlanPageTest::a_field_is_left_to_the_file_by_keys() {
  Shown shown(with_setting(small_scenario(), "parallelism.micro_batches", "6"));
  shown.page.activateWindow();
  shown.page.panel().choose("parallelism.micro_batches");
  for (QAction* action : shown.page.own_actions())
    if (action->shortcut() == QKeySequence("Ctrl+Backspace")) action->trigger();
  QCOMPARE(shown.document.scenario(), small_scenario());
}

// Several pieces of the model per stage need the schedule called interleaved.
Scenario unfit_scenario() {
  return with_setting(small_scenario(), "parallelism.virtual_stages", "3");
}

void PlanPageTest::what_does_not_fit_is_listed_and_a_click_leads_there() {
  Shown shown;
  QVERIFY(!shown.page.problems().isVisible());
  shown.document.edit("Pieces", unfit_scenario());
  QVERIFY(settled(shown.document));
  QVERIFY(shown.page.problems().isVisible());
  const auto& refused = shown.document.outcome()->refused;
  QVERIFY(refused.has_value());
  QAbstractItemModel& rows = *shown.page.problems().model();
  QCOMPARE(rows.rowCount(), static_cast<int>(refused->problems.size()));
  QCOMPARE(rows.index(0, 1).data().toString(), QString::fromStdString(refused->problems[0].reason));
  QCOMPARE(rows.index(0, 2).data().toString(), QString::fromStdString(refused->problems[0].remedy));
  const QRect cell = shown.page.problems().visualRect(rows.index(0, 1));
  QTest::mouseClick(shown.page.problems().viewport(), Qt::LeftButton, {}, cell.center());
  QCOMPARE(shown.tree().currentIndex().data(FieldTreeModel::path_role).toString(),
           QString::fromStdString(refused->problems[0].field));
  QVERIFY(shown.tree().hasFocus() || !shown.page.isActiveWindow());
}

void PlanPageTest::the_step_before_a_plan_that_does_not_fit_stays_to_compare_with() {
  Shown shown;
  const Duration first = shown.page.steps().now()->mean.step;
  shown.document.edit("Pieces", unfit_scenario());
  QVERIFY(settled(shown.document));
  QCOMPARE(shown.page.steps().now()->mean.step.picoseconds, first.picoseconds);
  shown.document.edit("Six", with_setting(small_scenario(), "parallelism.micro_batches", "6"));
  QVERIFY(settled(shown.document));
  QCOMPARE(shown.page.steps().before()->mean.step.picoseconds, first.picoseconds);
}

// 70 billion parameters in 8 x 80 GiB: 2 + 4 + 12 bytes each are 157 GiB a GPU alone.
void PlanPageTest::memory_over_capacity_is_said() {
  Scenario scenario = with_setting(first_scenario(), "parallelism.pipeline", "1");
  scenario = with_setting(scenario, "parallelism.sharding", "none");
  Shown shown(scenario);
  QVERIFY(shown.predicted);
  QAbstractItemModel& rows = *shown.page.problems().model();
  QCOMPARE(rows.rowCount(), 1);
  QCOMPARE(rows.index(0, 0).data().toString(), QString("memory"));
  QVERIFY(rows.index(0, 1).data().toString().contains("GiB too much"));
  const StepFigures& now = *shown.page.steps().now();
  QCOMPARE(now.stages.size(), std::size_t{1});
  QVERIFY(total(now.stages[0]) > Bytes{157 * 0x1p30});
}

void PlanPageTest::parts_of_the_last_change_sum_to_its_difference() {
  Shown shown(first_scenario());
  const Seconds before = shown.document.outcome()->prediction().summary.step;
  shown.document.edit("Tensor 4", with_setting(first_scenario(), "parallelism.tensor", "4"));
  QVERIFY(settled(shown.document));
  const std::vector<RowDifference> rows = shown.page.steps().rows();
  Duration sum_before, sum_after, difference;
  for (const std::size_t row : segments_of(rows)) {
    sum_before += rows[row].before;
    sum_after += rows[row].after;
    difference += rows[row].difference();
  }
  QCOMPARE(sum_before.picoseconds, rows.back().before.picoseconds);
  QCOMPARE(sum_after.picoseconds, rows.back().after.picoseconds);
  QCOMPARE(difference.picoseconds, rows.back().difference().picoseconds);
  QVERIFY(std::abs(seconds(rows.back().before).value - before.value) < 1e-11);
  QCOMPARE(rows.back().after.picoseconds,
           shown.document.outcome()->prediction().mean.step.picoseconds);
}

void PlanPageTest::changes_stay_in_a_table() {
  Shown shown;
  shown.document.edit("Six", with_setting(small_scenario(), "parallelism.micro_batches", "6"));
  QVERIFY(settled(shown.document));
  shown.document.edit("Pieces",
                      with_setting(shown.document.scenario(), "parallelism.virtual_stages", "3"));
  QVERIFY(settled(shown.document));
  const QAbstractItemModel* table = nullptr;
  for (const Exported& each : shown.page.exports())
    if (each.name == "changes") table = each.table;
  QVERIFY(table != nullptr);
  QCOMPARE(table->rowCount(), 2);
  QCOMPARE(table->index(0, 0).data().toString(), QString("Pieces"));  // the newest first
  QCOMPARE(table->index(0, 2).data().toString(), QString("-"));       // it did not fit
  const Effect& six = shown.document.effects().front();
  QCOMPARE(table->index(1, 1).data().toString(), QString::number(six.before->value * 1e3, 'f', 1));
  QCOMPARE(table->index(1, 2).data().toString(), QString::number(six.after->value * 1e3, 'f', 1));
}

void PlanPageTest::inputs_are_chosen_and_undone() {
  Shown shown;
  QComboBox& machine = shown.page.inputs().box(InputKind::topology);
  QCOMPARE(machine.currentText(), QString("pipeline-4-20ms"));
  machine.setFocus();
  machine.lineEdit()->selectAll();
  QTest::keyClicks(machine.lineEdit(), "pipeline-4-10ms");
  QTest::keyClick(machine.lineEdit(), Qt::Key_Return);
  QCOMPARE(shown.document.scenario().topology, std::string("pipeline-4-10ms"));
  QSignalSpy complaints(&shown.document, &Document::failed);
  shown.page.inputs().choose(InputKind::topology, "pipeline-4-11ms");
  QCOMPARE(complaints.count(), 1);  // and what there is
  QVERIFY(complaints[0][0].toString().contains("pipeline-4-10ms"));
  QCOMPARE(machine.currentText(), QString("pipeline-4-10ms"));
  QSpinBox& hosts = shown.page.inputs().hosts();
  QTest::keyClick(&hosts, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(&hosts, "8");
  QTest::keyClick(&hosts, Qt::Key_Return);
  QCOMPARE(shown.document.scenario().hosts, std::optional(8));
  shown.document.undo_stack().undo();
  shown.document.undo_stack().undo();
  QCOMPARE(shown.document.scenario(), small_scenario());
  QCOMPARE(machine.currentText(), QString("pipeline-4-20ms"));
}

// Of the 1,024-GPU example with another plan, another machine and a fault, all figures that the
// command prints are those in the window, and those of the files that the window wrote.
void PlanPageTest::saved_files_give_exactly_the_same() {
  Scenario edited = first_scenario();
  edited.hosts = 64;
  edited = with_setting(edited, "parallelism.tensor", "4");
  edited = with_setting(edited, "ccl.bucket", "80 MB");
  edited = with_setting(edited, "parallelism.micro_batches", "16");
  edited = with_setting(edited, "topology.nics", "4");
  edited = with_fault(edited, "host0/nic0", {0.5, {}, false});
  Shown shown(edited);
  QVERIFY(shown.predicted && shown.document.outcome()->predicted());
  QTemporaryDir folder;
  const QString plan = folder.filePath("edited-plan.json");
  const QString machine = folder.filePath("edited-machine.json");
  QSignalSpy saved(&shown.page, &PlanPage::saved);
  QVERIFY(shown.page.save_plan(plan));
  shown.page.save_machine(machine);
  QVERIFY(QTest::qWaitFor([&] { return saved.count() == 2; }, 30000));
  const Scenario on_files =
      on_saved_machine(on_saved_plan(edited, plan.toStdString()), machine.toStdString());
  QVERIFY(on_files.settings.empty() && !on_files.hosts);
  const QJsonObject asked = figures_of(printed_json(edited));
  QVERIFY(!asked["breakdown"].toArray().isEmpty());
  QCOMPARE(difference_of(figures_of(printed_json(on_files)), asked), QString());
  const std::string window = report_json(shown.document.outcome()->report);
  const QJsonObject shown_figures =
      figures_of(QJsonDocument::fromJson(QByteArray::fromStdString(window)).object());
  QCOMPARE(difference_of(shown_figures, asked), QString());
}

void PlanPageTest::half_written_files_change_nothing_data() {
  QTest::addColumn<QString>("file");
  QTest::newRow("plan") << "traces/plans/llama-3-70b-1024-h100-tp8-pp4.json";
  QTest::newRow("machine") << "topologies/dgx-h100-1024.json";
  QTest::newRow("graph") << "topologies/pipeline-4.json";
}

// A killed editor leaves any beginning of a file.
void PlanPageTest::half_written_files_change_nothing() {
  QFETCH(QString, file);
  QFile whole(QString(QUINTET_SOURCE_DIR) + "/" + file);
  QVERIFY(whole.open(QIODevice::ReadOnly));
  const QByteArray text = whole.readAll().trimmed();
  QTemporaryDir folder;
  Session session;
  session.scenario = small_scenario();
  Document document(session);
  MainWindow window(document, folder.filePath("autosaves").toStdString());
  QSignalSpy complaints(&document, &Document::failed);
  const QString broken = folder.filePath("broken.json");
  auto& page = *static_cast<PlanPage*>(window.page("plan"));
  const InputKind kind = file.contains("plans") ? InputKind::plan : InputKind::topology;
  const qsizetype stride = std::max<qsizetype>(1, text.size() / 60);
  for (qsizetype length = 0; length < text.size(); length += stride) {
    QFile out(broken);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(text.left(length));
    out.close();
    QVERIFY(!window.open_file(broken));
    QCOMPARE(document.scenario(), small_scenario());
    complaints.clear();
    page.inputs().choose(kind, broken);
    QCOMPARE(complaints.count(), 1);
    QVERIFY2(complaints[0][0].toString().contains("broken.json"),
             qPrintable(complaints[0][0].toString()));
    QCOMPARE(document.scenario(), small_scenario());
  }
  QCOMPARE(document.undo_stack().count(), 0);
}

void PlanPageTest::everything_has_a_name() {
  Shown shown;
  for (const QWidget* each : shown.page.findChildren<QWidget*>()) {
    const bool takes_keys = each->focusPolicy() & Qt::TabFocus;
    if (!takes_keys || !each->isVisible() || qobject_cast<const QLineEdit*>(each)) continue;
    if (each->metaObject()->className() == QByteArray("QTabBar")) continue;
    QVERIFY2(!each->accessibleName().isEmpty() || each->inherits("QCheckBox"),
             each->metaObject()->className());
  }
}

void PlanPageTest::with_much_to_say_all_can_be_read_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<QString>("appearance");
  for (const QSize size : {QSize(1600, 900), QSize(1280, 720)})
    for (const char* appearance : {"light", "dark", "high-contrast"})
      QTest::addRow("%dx%d %s", size.width(), size.height(), appearance) << size << appearance;
}

// Changes, a plan that fills more than there is, one that does not fit; pictures stay in the folder
// of work, for people to look at.
void PlanPageTest::with_much_to_say_all_can_be_read() {
  QFETCH(QSize, size);
  QFETCH(QString, appearance);
  QDir().mkpath("screenshots");
  Session session;
  session.view.appearance = appearance.toStdString();
  session.view.page = "plan";
  Document document(session);
  QTemporaryDir folder;
  MainWindow window(document, folder.path().toStdString());
  window.resize(size);
  window.show();
  document.predict();
  QVERIFY(settled(document));
  auto& page = *static_cast<PlanPage*>(window.page("plan"));
  const auto set = [&](const std::string& field, const QString& value) {
    return page.fields().setData(page.fields().index_of(field), value) && settled(document);
  };
  const auto look = [&](const char* name) {
    QTest::qWait(50);
    window.grab().save(QString("screenshots/plan-%1-%2x%3-%4.png")
                           .arg(name)
                           .arg(size.width())
                           .arg(size.height())
                           .arg(appearance));
    return unreadable(page).join("\n");
  };
  QVERIFY(set("parallelism.tensor", "4"));
  QVERIFY(set("ccl.bucket", "80 MB"));
  page.panel().choose("parallelism.data");
  QCOMPARE(look("changed"), QString());
  QVERIFY(set("parallelism.pipeline", "2"));
  QVERIFY(set("parallelism.sharding", "none"));
  QCOMPARE(look("too-full"), QString());
  QVERIFY(set("parallelism.virtual_stages", "3"));
  QVERIFY(set("parallelism.context", "2"));
  page.panel().next_problem();
  QCOMPARE(look("unfit"), QString());
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::PlanPageTest)
#include "plan_page_test.moc"
