// The topology page as a person uses it: by mouse and keys.
#include "gui/pages/topology/topology_page.h"

#include <QApplication>
#include <QLineEdit>
#include <QSlider>
#include <QToolButton>
#include <QtTest>

#include "gui/pages/topology/paint_fabric.h"
#include "gui/scenario/scenario_command.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

// Two hosts of a rail group with eight GPUs each, predicted in some milliseconds.
Session two_hosts() {
  Session session;
  session.scenario.model = "llama-3-8b";
  session.scenario.topology = "hgx-h200";
  session.scenario.plan = "llama-3-70b-1024-h100-tp8-pp4";
  session.scenario.hosts = 4;
  session.scenario = with_setting(session.scenario, "parallelism.data", "2");
  session.scenario = with_setting(session.scenario, "parallelism.pipeline", "2");
  session.scenario = with_setting(session.scenario, "parallelism.micro_batches", "4");
  return session;
}

class TopologyPageTest : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void cleanup();
  void a_double_click_unfolds_and_enter_folds();
  void a_click_on_a_link_chooses_it();
  void a_line_has_the_colour_of_its_load();
  void loads_follow_the_range_of_the_timeline();
  void slowing_is_live_and_undone_at_once();
  void failing_and_restoring_by_keys();
  void a_failed_link_keeps_its_line();
  void arrows_go_from_part_to_part();
  void a_field_of_the_fabric_is_checked_and_taken();
  void the_scrubber_moves_a_window();
  void the_table_has_what_the_picture_shows();
  void exports_are_a_picture_and_a_table();

 private:
  QPoint on_screen(const QPointF& place) { return page_->canvas().view().map(place).toPoint(); }
  QPoint middle_of(const std::string& part) {
    const Shown shown = shown_at(page_->picture(), page_->unfolded(), part);
    return on_screen(
        page_->picture().layout.boxes[static_cast<std::size_t>(shown.box)].rect.center());
  }
  int bundle_of(const std::string& cable) {
    return shown_at(page_->picture(), page_->unfolded(), cable).bundle;
  }
  QPoint middle_of_line(int bundle) {
    return on_screen(page_->picture().lines[static_cast<std::size_t>(bundle)].pointAtPercent(0.5));
  }
  void click(const QPoint& place) {
    QTest::mouseClick(&page_->canvas(), Qt::LeftButton, {}, place);
  }
  bool ready() {
    return settled(*document_) && QTest::qWaitFor([&] { return !page_->busy(); }, 10000);
  }

  std::unique_ptr<Document> document_;
  std::unique_ptr<TopologyPage> page_;
};

void TopologyPageTest::init() {
  document_ = std::make_unique<Document>(two_hosts());
  page_ = std::make_unique<TopologyPage>(*document_, nullptr);
  page_->resize(1280, 720);
  page_->show();
  QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
  // Without a window manager, as under Xvfb, nobody else makes it active, and keys want that.
  QApplication::setActiveWindow(page_.get());
  document_->predict();
  QVERIFY(ready());
  QVERIFY2(document_->outcome() != nullptr && document_->outcome()->predicted(),
           document_->error() ? document_->error()->text().c_str()
           : document_->outcome() && document_->outcome()->refused
               ? document_->outcome()->refused->error.text().c_str()
               : "");
}

// QUINTET_GUI_PICTURES=FOLDER: how the page looks after each of these, for looking at it.
void TopologyPageTest::cleanup() {
  const QString folder = qEnvironmentVariable("QUINTET_GUI_PICTURES");
  if (!folder.isEmpty() && page_)
    page_->grab().save(folder + "/" + QTest::currentTestFunction() + ".png");
  page_.reset();
  document_.reset();
}

void TopologyPageTest::a_double_click_unfolds_and_enter_folds() {
  const std::size_t before = page_->picture().layout.boxes.size();
  QTest::mouseDClick(&page_->canvas(), Qt::LeftButton, {}, middle_of("host1"));
  // The host stays a box, its frame; its NICs, CPUs, PCIe switches and GPUs (8, 2, 8 and 8) and the
  // NVSwitch come to it.
  QCOMPARE(page_->picture().layout.boxes.size(), before + 27);
  QVERIFY(shown_at(page_->picture(), page_->unfolded(), "host1/gpu0").box >= 0);
  click(middle_of("host1/gpu0"));
  QCOMPARE(document_->part(), QString("host1/gpu0"));
  QTest::keyClick(&page_->canvas(), Qt::Key_Backspace);  // its list of GPUs
  QTest::keyClick(&page_->canvas(), Qt::Key_Backspace);  // the host
  QCOMPARE(page_->picture().layout.boxes.size(), before);
  QTest::keyClick(&page_->canvas(), Qt::Key_Return);
  QCOMPARE(page_->picture().layout.boxes.size(), before + 27);
}

void TopologyPageTest::a_click_on_a_link_chooses_it() {
  const int bundle = bundle_of("leaf3-spine2");
  QVERIFY(bundle >= 0);
  click(middle_of_line(bundle));
  // Lines may cross there: what is chosen is the line that is chosen.
  const int chosen = page_->picture().chosen_bundle;
  QVERIFY(chosen >= 0);
  QCOMPARE(document_->part().toStdString(), bundle_name(page_->picture(), chosen));
  document_->choose_part("leaf3-spine2");
  QCOMPARE(page_->picture().chosen_bundle, bundle);
}

void TopologyPageTest::a_line_has_the_colour_of_its_load() {
  const FabricPicture& picture = page_->picture();
  const Prediction& prediction = document_->outcome()->prediction();
  int seen = 0;
  for (std::size_t bundle = 0; bundle < picture.layout.bundles.size(); ++bundle) {
    // By hand: the busiest of its links, bytes / (rate x step).
    double worst = 0;
    for (const LinkId link : picture.layout.bundles[bundle].links) {
      const std::int32_t load = prediction.load_of_link[link.index()];
      if (load < 0) continue;
      const Bytes possible = document_->outcome()->topology().link(link).rate() *
                             seconds(prediction.timeline.end - Instant{});
      worst =
          std::max(worst, Bytes{prediction.loads[static_cast<std::size_t>(load)].bytes} / possible);
    }
    QVERIFY(std::abs(picture.sums.bundles[bundle].worst - worst) < 1e-12);
    if (worst <= 0) continue;
    QCOMPARE(color_of_bundle(picture, document_->theme(), static_cast<int>(bundle)),
             load_color(document_->theme(), worst / picture.scale));
    ++seen;
  }
  QVERIFY(seen > 0);
  // The busiest line is drawn last: the pixel in its middle is of that colour.
  const auto busiest = std::max_element(
      picture.sums.bundles.begin(), picture.sums.bundles.end(),
      [](const LoadSum& one, const LoadSum& other) { return one.worst <= other.worst; });
  const int bundle = static_cast<int>(busiest - picture.sums.bundles.begin());
  const QImage image = page_->canvas().grab().toImage();
  const QPoint place = page_->canvas()
                           .view()
                           .map(picture.lines[static_cast<std::size_t>(bundle)].pointAtPercent(0.2))
                           .toPoint();
  const QColor wanted = color_of_bundle(picture, document_->theme(), bundle);
  // Its edges are softened: the nearest of the pixels around the middle.
  int least = 1000;
  for (int x = -2; x <= 2; ++x)
    for (int y = -2; y <= 2; ++y) {
      const QColor found = image.pixelColor(place + QPoint(x, y));
      least = std::min(least, std::abs(found.red() - wanted.red()) +
                                  std::abs(found.green() - wanted.green()) +
                                  std::abs(found.blue() - wanted.blue()));
    }
  QVERIFY2(least < 12, qPrintable(QString::number(least) + " off " + wanted.name()));
}

void TopologyPageTest::loads_follow_the_range_of_the_timeline() {
  const Prediction& prediction = document_->outcome()->prediction();
  const std::int64_t end = prediction.timeline.end.picoseconds;
  const TimeRange range{Instant{end / 4}, Instant{end / 2}};
  document_->choose_range(range);
  const std::vector<double> bytes = bytes_between(prediction.traffic, range.from, range.to);
  double most = 0;
  for (std::size_t link = 0; link < page_->picture().states.size(); ++link) {
    const std::int32_t load = prediction.load_of_link[link];
    const double wanted = load < 0 ? 0.0 : bytes[static_cast<std::size_t>(load)];
    QCOMPARE(page_->picture().states[link].bytes, wanted);
    most = std::max(most, wanted);
  }
  QVERIFY(most > 0);
  QVERIFY(page_->picture().moment.contains("selected in the timeline"));
  document_->choose_range(std::nullopt);
  QVERIFY(page_->picture().moment.contains("whole step"));
}

void TopologyPageTest::slowing_is_live_and_undone_at_once() {
  document_->choose_part("leaf0-spine0");
  auto* const slider = page_->findChild<QSlider*>("rate-left");
  QVERIFY(slider->isEnabled());
  const int undoable = document_->undo_stack().count();
  slider->setSliderDown(true);
  for (const int percent : {90, 60, 25}) slider->setValue(percent);
  slider->setSliderDown(false);
  QCOMPARE(document_->undo_stack().count(), undoable + 1);
  QCOMPARE(document_->undo_stack().undoText(), QString("Slow leaf0-spine0 to 25 %"));
  QVERIFY(ready());
  QCOMPARE(fault_of(document_->scenario(), "leaf0-spine0").share, std::optional(0.25));
  const LinkId link = place_named(*page_->picture().machine, "leaf0-spine0").cables.front();
  QVERIFY(page_->picture().states[link.index()].trouble == LinkTrouble::slow);
  QVERIFY(
      !page_->picture().bundle_badges[static_cast<std::size_t>(bundle_of("leaf0-spine0"))].empty());
  document_->undo_stack().undo();
  QVERIFY(ready());
  QCOMPARE(slider->value(), 100);
  QVERIFY(page_->picture().states[link.index()].trouble == LinkTrouble::none);
}

void TopologyPageTest::failing_and_restoring_by_keys() {
  click(middle_of("leaf1"));
  QCOMPARE(document_->part(), QString("leaf1"));
  QTest::keyClick(&page_->canvas(), Qt::Key_Delete);
  QCOMPARE(document_->scenario().faults.fail, std::vector<std::string>{"leaf1"});
  QVERIFY(ready());
  const Shown shown = shown_at(page_->picture(), page_->unfolded(), "leaf1");
  QCOMPARE(page_->picture().box_badges[static_cast<std::size_t>(shown.box)].size(), std::size_t{1});
  const QString text = QString::fromStdString(command_text(document_->scenario()));
  QVERIFY2(text.contains("--fail leaf1"), qPrintable(text));
  QTest::keyClick(&page_->canvas(), Qt::Key_Delete, Qt::ControlModifier);
  QVERIFY(document_->scenario().faults.empty());
  QVERIFY(ready());
  document_->undo_stack().undo();
  document_->undo_stack().undo();
  QVERIFY(document_->scenario() == two_hosts().scenario);
}

void TopologyPageTest::a_failed_link_keeps_its_line() {
  document_->choose_part("leaf0-spine1");
  const int bundle = bundle_of("leaf0-spine1");
  auto* const fail = page_->findChild<QPushButton*>("fail");
  QTest::mouseClick(fail, Qt::LeftButton);
  QVERIFY(ready());
  QVERIFY2(document_->outcome()->predicted(), "a cable less is still a machine");
  QCOMPARE(bundle_of("leaf0-spine1"), bundle);
  const LoadSum& sum = page_->picture().sums.bundles[static_cast<std::size_t>(bundle)];
  QCOMPARE(sum.failed, sum.links);
  QCOMPARE(sum.bytes, 0.0);
  QVERIFY(!fail->isEnabled());
  QTest::mouseClick(page_->findChild<QPushButton*>("restore"), Qt::LeftButton);
  QVERIFY(ready());
  QCOMPARE(page_->picture().sums.bundles[static_cast<std::size_t>(bundle)].failed, 0);
}

void TopologyPageTest::arrows_go_from_part_to_part() {
  click(middle_of("leaf2"));
  QTest::keyClick(&page_->canvas(), Qt::Key_Right);
  QCOMPARE(document_->part(), QString("leaf3"));
  QTest::keyClick(&page_->canvas(), Qt::Key_Up);
  QVERIFY(document_->part().startsWith("spine"));
  QTest::keyClick(&page_->canvas(), Qt::Key_BracketRight);
  QVERIFY(page_->picture().chosen_bundle >= 0);
  QTest::keyClick(&page_->canvas(), Qt::Key_Escape);
  QVERIFY(document_->part().isEmpty());
}

void TopologyPageTest::a_field_of_the_fabric_is_checked_and_taken() {
  page_->findChild<QTabWidget*>()->setCurrentIndex(1);
  auto* const nics = page_->findChild<QLineEdit*>("topology.nics");
  QVERIFY(nics != nullptr);
  QCOMPARE(nics->text(), QString("8"));
  nics->setFocus();
  nics->selectAll();
  QTest::keyClicks(nics, "9");
  QTest::keyClick(nics, Qt::Key_Return);
  const auto message = [&] {
    for (const QLabel* label : page_->findChildren<QLabel*>())
      if (label->text().contains("expected 1 to 8")) return true;
    return false;
  };
  QVERIFY(QTest::qWaitFor(message, 5000));
  QVERIFY(!setting(document_->scenario(), "topology.nics"));
  nics->selectAll();
  QTest::keyClicks(nics, "4");
  QTest::keyClick(nics, Qt::Key_Return);
  QVERIFY(QTest::qWaitFor([&] { return setting(document_->scenario(), "topology.nics") == "4"; },
                          5000));
  QVERIFY(ready());
  // 4 hosts with 4 rails: a leaf per rail.
  const auto& built = page_->picture().machine->built;
  QCOMPARE(built.hosts.front().nics.size(), std::size_t{4});
  document_->undo_stack().undo();
  QVERIFY(ready());
  QCOMPARE(page_->picture().machine->built.hosts.front().nics.size(), std::size_t{8});
}

void TopologyPageTest::the_scrubber_moves_a_window() {
  auto* const slider = page_->findChild<QSlider*>("moment");
  QVERIFY(slider->isEnabled());
  slider->setValue(slider->maximum() / 2);
  QVERIFY(page_->picture().moment.startsWith("window of"));
  auto* const play = page_->findChild<QToolButton*>("play");
  QTest::mouseClick(play, Qt::LeftButton);
  QVERIFY(QTest::qWaitFor([&] { return slider->value() > slider->maximum() / 2; }, 5000));
  QTest::mouseClick(page_->findChild<QToolButton*>("whole-step"), Qt::LeftButton);
  QVERIFY(!play->isChecked());
  QVERIFY(page_->picture().moment.startsWith("whole step"));
}

void TopologyPageTest::the_table_has_what_the_picture_shows() {
  const QAbstractItemModel& table = *page_->exports().back().table;
  QCOMPARE(table.rowCount(), static_cast<int>(page_->picture().states.size()));
  double last = 2.0;
  for (int row = 0; row < table.rowCount(); ++row) {
    const double utilisation =
        table.index(row, LinkTable::utilisation).data(Qt::UserRole).toDouble();
    QVERIFY(utilisation <= last);
    last = utilisation;
  }
  QVERIFY(table.index(0, LinkTable::name).data().toString().contains("->"));
}

void TopologyPageTest::exports_are_a_picture_and_a_table() {
  const std::vector<Exported> all = page_->exports();
  QImage image(800, 450, QImage::Format_ARGB32);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  all.front().paint(painter, image.size());
  painter.end();
  QCOMPARE(image.pixelColor(2, 60), document_->theme().paper);
}

}  // namespace quintet::gui

QTEST_MAIN(quintet::gui::TopologyPageTest)
#include "topology_page_test.moc"
