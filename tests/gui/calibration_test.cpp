// The page of cost tables, used as a person would: choose a part, leave points out, save, predict.
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "gui/pages/calibration/calibration_page.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/refit/refitted.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

const QString cpu_table = QUINTET_SOURCE_DIR "/traces/costs/cpu-core.json";

class CalibrationTest : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void lists_every_part_with_its_errors();
  void a_box_leaves_a_point_out_and_undo_brings_it_back();
  void a_click_in_the_picture_leaves_a_point_out();
  void keys_do_it_too();
  void too_few_points_are_refused_with_words();
  void a_part_is_found_by_its_name();
  void what_is_saved_is_what_counts();
  void the_command_reads_what_is_saved();
  void the_prediction_takes_the_new_table();
  void a_file_that_is_no_table_leaves_what_was_open();
  void pictures_and_tables_are_exported();
  void every_part_is_drawn_in_every_appearance();

 private:
  bool rests() {
    return QTest::qWaitFor([this] { return !page_->busy(); }, 10000);
  }
  int part_named(const QString& name) const;
  CostPointsModel& points() const {
    return *dynamic_cast<CostPointsModel*>(
        const_cast<QAbstractItemModel*>(page_->exports().front().table));
  }

  std::unique_ptr<Document> document_;
  std::unique_ptr<CalibrationPage> page_;
};

void CalibrationTest::init() {
  Session session;
  session.scenario = small_scenario();
  page_.reset();
  document_ = std::make_unique<Document>(session);
  page_ = std::make_unique<CalibrationPage>(*document_, nullptr);
  page_->resize(1500, 800);
  page_->show();
  document_->predict();
  QVERIFY(settled(*document_));
  page_->open_table(cpu_table);
  QVERIFY(rests());
  QCOMPARE(page_->review().file(), cpu_table);
}

int CalibrationTest::part_named(const QString& name) const {
  const std::vector<PartFit>& fits = page_->review().fits();
  for (std::size_t i = 0; i < fits.size(); ++i)
    if (QString::fromStdString(fits[i].part.name).startsWith(name)) return static_cast<int>(i);
  return -1;
}

// Families of operators, collectives, messages: what cpu-core.json holds.
void CalibrationTest::lists_every_part_with_its_errors() {
  const Result<CostTable> table = read_cost_table(cpu_table.toStdString());
  QVERIFY(table.has_value());
  const CostPartsModel parts(page_->review(), nullptr);
  // Operators measured exactly are parts of their own where their family has no curve.
  const std::vector<PartFit>& fits = page_->review().fits();
  const auto exact = std::count_if(fits.begin(), fits.end(), [](const PartFit& fit) {
    return fit.part.kind == PartKind::operators && !fit.part.entry;
  });
  QCOMPARE(parts.rowCount() - static_cast<int>(exact),
           static_cast<int>(table->curves.size() + table->communication.curves.size() +
                            table->communication.messages.size()));
  const int row = part_named("embedding forward in bf16");
  const auto text = [&](CostPartsModel::Column column) {
    return parts.index(row, column).data().toString();
  };
  QCOMPARE(text(CostPartsModel::points),
           QString::number(fits[static_cast<std::size_t>(row)].part.points));
  // The table's own residuals, -0.29475... and 0.39584...
  QCOMPARE(text(CostPartsModel::recorded), QString("-29.5 to +39.6 %"));
  // They were made by leaving out one at a time, as the page does: the same.
  QCOMPARE(text(CostPartsModel::range), QString("-29.5 to +39.6 %"));
}

void CalibrationTest::a_box_leaves_a_point_out_and_undo_brings_it_back() {
  page_->show_part(part_named("embedding forward in bf16"));
  CostReview& review = page_->review();
  const PartFit before = *points().fit();
  QVERIFY(points().setData(points().index(1, 0), Qt::Unchecked, Qt::CheckStateRole));
  QVERIFY(rests());
  QCOMPARE(review.excluded().size(), std::size_t{1});
  QVERIFY(points().fit()->points[1].excluded);
  QVERIFY(points().fit()->held_out != before.held_out);
  QCOMPARE(points().index(1, CostPointsModel::remark).data().toString(), QString("left out"));
  review.undo_stack().undo();
  QVERIFY(rests());
  QCOMPARE(*points().fit(), before);
  QVERIFY(review.saved());
}

void CalibrationTest::a_click_in_the_picture_leaves_a_point_out() {
  page_->show_part(part_named("all-reduce, 4 ranks"));
  auto* view = page_->findChild<FitView*>();
  const FitLayout layout(*points().fit(), FitQuantity::time, view->size());
  const FitPoint& point = points().fit()->points[3];
  const QPoint place = layout.place(point.amount, point.measured).toPoint();
  QTest::mouseClick(view, Qt::LeftButton, {}, place);
  QVERIFY(rests());
  QVERIFY(points().fit()->points[3].excluded);
  QTest::mouseClick(view, Qt::LeftButton, {}, place);
  QVERIFY(rests());
  QVERIFY(!points().fit()->points[3].excluded);
  QTest::mouseClick(view, Qt::LeftButton, {}, {3, 3});  // no point is there
  QVERIFY(!view->chosen());
  QVERIFY(page_->review().excluded().empty());
}

void CalibrationTest::keys_do_it_too() {
  page_->show_part(part_named("all-reduce, 4 ranks"));
  auto* view = page_->findChild<FitView*>();
  view->setFocus();
  QTest::keyClick(view, Qt::Key_Right);
  QTest::keyClick(view, Qt::Key_Right);
  QTest::keyClick(view, Qt::Key_Space);
  QVERIFY(rests());
  QVERIFY(!points().counts(1));
  for (QAction* action : page_->own_actions())
    if (action->text() == "Accept all points of this part") action->trigger();
  QVERIFY(rests());
  QVERIFY(points().counts(1));
}

// A curve of a collective needs two points.
void CalibrationTest::too_few_points_are_refused_with_words() {
  page_->show_part(part_named("all-reduce, 4 ranks"));
  QSignalSpy failures(document_.get(), &Document::failed);
  const int count = points().rowCount();
  for (int row = 0; row < count; ++row) points().set_counts(row, false);
  QVERIFY(rests());
  QCOMPARE(page_->review().excluded().size(), static_cast<std::size_t>(count - 2));
  QCOMPARE(failures.count(), 2);
  QVERIFY(failures[0][0].toString().contains("needs 2 or more"));
}

void CalibrationTest::a_part_is_found_by_its_name() {
  auto* words = page_->findChild<QLineEdit*>();
  const auto tables = page_->findChildren<QTableView*>();
  QTest::keyClicks(words, "ALL-TO-all");
  const QTableView* parts = nullptr;
  for (const QTableView* each : tables)
    if (each->accessibleName() == "Parts of the cost table") parts = each;
  QCOMPARE(parts->model()->rowCount(), 2);  // among four ranks and among two
}

void CalibrationTest::what_is_saved_is_what_counts() {
  const QTemporaryDir folder;
  const QString file = folder.filePath("mine.json");
  QVERIFY(page_->save_table(file));
  QFile same(file), shipped(cpu_table);
  QVERIFY(same.open(QIODevice::ReadOnly) && shipped.open(QIODevice::ReadOnly));
  QCOMPARE(same.readAll(), shipped.readAll());
  page_->show_part(part_named("embedding forward in bf16"));
  points().set_counts(2, false);
  QVERIFY(!page_->review().saved());
  QVERIFY(page_->save_table(file));
  QVERIFY(page_->review().saved());
  const Result<CostTable> read = read_cost_table(file.toStdString());
  QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
  CostTable expected = refitted(page_->review().table(), page_->review().excluded());
  expected.source += "; 1 of its points left out by hand";
  QVERIFY(*read == expected);
}

void CalibrationTest::the_command_reads_what_is_saved() {
  const QTemporaryDir folder;
  const QString file = folder.filePath("mine.json");
  page_->open_table(QUINTET_SOURCE_DIR "/traces/costs/a100-sxm-80gb.json");
  QVERIFY(rests());
  page_->show_part(part_named("all-reduce, 8 ranks"));
  points().set_counts(2, false);
  QVERIFY(page_->save_table(file));
  const QString printed = printed_by(
      QUINTET_PROGRAM, {"simulate", "--model", "gpt2", "--topology", "dgx-a100-1", "--global-batch",
                        "64", "--sequence", "1024", "--tensor", "1", "--costs", file});
  QVERIFY2(printed.contains("step"), qPrintable(printed));
}

void CalibrationTest::the_prediction_takes_the_new_table() {
  const QTemporaryDir folder;
  const QString file = folder.filePath("chain.json");
  page_->open_table(QUINTET_SOURCE_DIR "/traces/costs/toy-pipeline.json");
  QVERIFY(rests());
  QVERIFY(page_->use_in_prediction(file));
  QVERIFY(settled(*document_));
  QCOMPARE(document_->scenario().costs, file.toStdString());
  QVERIFY(!document_->outdated());
  QCOMPARE(document_->undo_stack().undoText(), QString("Use the costs of chain.json"));
  document_->undo_stack().undo();
  QCOMPARE(document_->scenario(), small_scenario());
}

void CalibrationTest::a_file_that_is_no_table_leaves_what_was_open() {
  QSignalSpy failures(document_.get(), &Document::failed);
  page_->open_table(QUINTET_SOURCE_DIR "/traces/plans/tiny-gpt-tp2-pp2.json");
  QVERIFY(rests());
  QCOMPARE(failures.count(), 1);
  QVERIFY(failures[0][0].toString().contains("tiny-gpt-tp2-pp2.json"));
  QCOMPARE(page_->review().file(), cpu_table);
  QVERIFY(!page_->review().fits().empty());
}

void CalibrationTest::pictures_and_tables_are_exported() {
  const std::vector<Exported> all = page_->exports();
  QCOMPARE(all.size(), std::size_t{2});
  for (const Exported& each : all) {
    QImage image(900, 600, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::magenta);
    QPainter painter(&image);
    each.paint(painter, image.size());
    painter.end();
    QVERIFY2(image.pixelColor(0, 0) != QColor(Qt::magenta), qPrintable(each.name));
    QVERIFY(each.table->rowCount() > 0);
  }
}

// Where QUINTET_PICTURES names a folder, the pictures are left there to be looked at.
void CalibrationTest::every_part_is_drawn_in_every_appearance() {
  page_->show_part(part_named("mlp_up forward"));
  points().set_counts(1, false);
  QVERIFY(rests());
  const QString folder = qEnvironmentVariable("QUINTET_PICTURES");
  for (const Appearance appearance :
       {Appearance::light, Appearance::dark, Appearance::high_contrast}) {
    const Theme& theme = theme_of(appearance);
    for (const PartFit& fit : page_->review().fits())
      for (const FitQuantity quantity : {FitQuantity::time, FitQuantity::rate}) {
        QImage image(700, 480, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        paint_fit(painter, image.size(), theme, &fit, {quantity, 0});
        painter.end();
        QCOMPARE(image.pixelColor(1, 1), theme.paper);
        const QString name =
            QString("%1/%2-%3-%4.png")
                .arg(folder, QString::fromStdString(fit.part.name).replace('/', '-'),
                     quantity == FitQuantity::time ? "time" : "rate",
                     QString::number(static_cast<int>(appearance)));
        if (!folder.isEmpty()) QVERIFY(image.save(name));
      }
  }
  if (!folder.isEmpty()) QVERIFY(page_->grab().save(folder + "/page.png"));
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::CalibrationTest)
#include "calibration_test.moc"
