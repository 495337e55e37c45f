// Sweeps as values, without a window: what is typed, which scenarios it makes, what they come to
// beside the command's own numbers.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <set>

#include "gui/models/sweep_run.h"
#include "gui/scenario/scenario_command.h"
#include "gui/scenario/sweep/field_offers.h"
#include "gui/scenario/sweep/sweep_pareto.h"
#include "sim/asked/swept_values.h"
#include "sim/asked/settings.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

using Values = std::vector<std::string>;

class SweepTest : public QObject {
  Q_OBJECT

 private slots:
  void lists_and_ranges_are_read();
  void wrong_values_say_what_is_accepted();
  void cases_are_all_combinations();
  void a_field_of_the_base_is_replaced_whatever_it_is_called();
  void every_field_on_offer_can_be_asked();
  void numbers_are_the_commands();
  void shares_of_a_part_are_a_loop_of_commands();
  void what_cannot_be_says_why();
  void a_sweep_is_cancelled();
};

void SweepTest::lists_and_ranges_are_read() {
  QCOMPARE(*swept_values("1, 2,4"), (Values{"1", "2", "4"}));
  QCOMPARE(*swept_values("1..4"), (Values{"1", "2", "3", "4"}));
  // 0.1 + 2 x 0.1 is no 0.3 in doubles; here it is.
  QCOMPARE(*swept_values("0.1..0.5 by 0.1"), (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  QCOMPARE(*swept_values("1..10 times 2"), (Values{"1", "2", "4", "8"}));
  QCOMPARE(*swept_values("100Gbps..400Gbps by 100Gbps"),
           (Values{"100Gbps", "200Gbps", "300Gbps", "400Gbps"}));
  QCOMPARE(*swept_values("none,full"), (Values{"none", "full"}));
  QCOMPARE(*swept_values("[1,2],[3]"), (Values{"[1,2]", "[3]"}));
}

void SweepTest::wrong_values_say_what_is_accepted() {
  for (const char* wrong : {"", "1,,2", "1,1", "4..1", "1..4 by 0", "0..8 times 2", "a..b",
                            "1Gbps..4GB/s by 1Gbps", "1..100000"}) {
    const auto read = swept_values(wrong);
    QVERIFY2(!read.has_value(), wrong);
    QVERIFY(read.error().where.find("values") != std::string::npos);
    QVERIFY(read.error().what.find(';') != std::string::npos);  // what is wrong; what to give
  }
  const auto field = swept_field("parallelism", "1,2");
  QVERIFY(!field.has_value());
  QVERIFY(field.error().text().find("parallelism") != std::string::npos);
}

SweepWish two_fields() {
  return {small_scenario(),
          {*swept_field("parallelism.micro_batches", "4,8"),
           *swept_field("parallelism.schedule", "1f1b,gpipe")}};
}

void SweepTest::cases_are_all_combinations() {
  const auto cases = sweep_cases(two_fields());
  QVERIFY(cases.has_value());
  QCOMPARE(cases->size(), std::size_t{4});
  // The last field varies first, as in lists behind --set.
  QCOMPARE((*cases)[1].values, (Values{"4", "gpipe"}));
  QCOMPARE(*setting((*cases)[2].scenario, "parallelism.micro_batches"), std::string("8"));
  QCOMPARE(case_text(two_fields(), (*cases)[1]), std::string("micro_batches 4, schedule gpipe"));
  SweepWish twice = two_fields();
  twice.fields[1] = *swept_field("parallelism.micro-batches", "1,2");
  QVERIFY(!sweep_cases(twice).has_value());
}

void SweepTest::a_field_of_the_base_is_replaced_whatever_it_is_called() {
  SweepWish wish;
  wish.base = with_setting(small_scenario(), "parallelism.pp", "2");
  wish.fields = {*swept_field("parallelism.pipeline", "4")};
  const auto cases = sweep_cases(wish);
  QVERIFY(cases.has_value());
  QCOMPARE((*cases)[0].scenario.settings, (std::vector<Setting>{{"parallelism.pipeline", "4"}}));
  wish.base.hosts = 8;
  wish.fields = {*swept_field("hosts", "2,4")};
  QVERIFY(!(*sweep_cases(wish))[0].scenario.hosts.has_value());
}

void SweepTest::every_field_on_offer_can_be_asked() {
  const std::vector<FieldOffer> offers = field_offers();
  std::set<std::string> paths;
  for (const FieldOffer& offer : offers) {
    QVERIFY2(asked_field(offer.path + "=1").has_value(), offer.path.c_str());
    paths.insert(offer.path);
  }
  QCOMPARE(paths.size(), offers.size());
  for (const char* known : {"parallelism.tensor", "topology.nics", "topology.hosts",
                            "topology.network.oversubscription"})
    QVERIFY2(paths.contains(known), known);
}

// What a shell makes of a command, with our program in the place of "quintet".
QJsonArray printed_plans(const std::string& command) {
  QString text = QString::fromStdString(command);
  text.replace("quintet simulate", QString("'%1' simulate --json -q").arg(QUINTET_PROGRAM));
  const QString printed = printed_by("sh", {"-c", text});
  QJsonArray plans;
  // Each document begins on a line of its own.
  for (const QString& each : printed.split("\n{", Qt::SkipEmptyParts)) {
    const QString whole = each.startsWith('{') ? each : "{" + each;
    const QJsonObject object = QJsonDocument::fromJson(whole.toUtf8()).object();
    for (const auto plan : object["plans"].toArray()) plans << plan;
    for (const auto plan : object["summary"].toArray()) plans << plan;
  }
  return plans;
}

std::vector<SweepPoint> swept(const SweepWish& wish) {
  SweepRun run;
  if (run.start(wish) || !QTest::qWaitFor([&] { return !run.running(); }, 60000)) return {};
  return run.come();
}

void SweepTest::numbers_are_the_commands() {
  SweepWish example{
      first_scenario(),
      {*swept_field("topology.nics", "4,8"), *swept_field("parallelism.recompute", "none,full")}};
  for (const SweepWish& wish : {two_fields(), example}) {
    const std::vector<SweepPoint> points = swept(wish);
    QCOMPARE(points.size(), std::size_t{4});
    const QJsonArray plans = printed_plans(sweep_command(wish));
    QCOMPARE(plans.size(), 4);
    for (const SweepPoint& point : points) {
      // The command calls a plan by its file's name and what it differs in.
      const QString ending = QString::fromStdString(", " + case_text(wish, point.what));
      bool found = false;
      for (const auto value : plans) {
        const QJsonObject plan = value.toObject();
        if (!plan["name"].toString().endsWith(ending)) continue;
        found = true;
        QCOMPARE(plan["step_s"].toDouble(), point.answer->summary.step.value);
        QCOMPARE(plan["mfu"].toDouble(), point.answer->summary.mfu);
        QCOMPARE(plan["memory_bytes"].toDouble(), point.answer->memory_needed.value);
        QCOMPARE(plan["fits"].toBool(), point.fits());
      }
      QVERIFY2(found, qPrintable(ending));
    }
  }
}

void SweepTest::shares_of_a_part_are_a_loop_of_commands() {
  SweepWish wish{small_scenario(), {*swept_field("slow host1/gpu0", "0.25,0.5")}};
  wish.base = with_fault(wish.base, "host1/gpu0", {0.75, {}, false});
  QVERIFY(QString::fromStdString(sweep_command(wish)).startsWith("for share in 0.25 0.5; do "));
  const std::vector<SweepPoint> points = swept(wish);
  QCOMPARE(points.size(), std::size_t{2});
  const QJsonArray plans = printed_plans(sweep_command(wish));
  QCOMPARE(plans.size(), 2);
  // A quarter of a GPU's rate makes the step longer; in the order of the loop.
  QVERIFY(points[0].answer->summary.step > points[1].answer->summary.step);
  for (qsizetype i = 0; i < 2; ++i)
    QCOMPARE(plans[i].toObject()["step_s"].toDouble(),
             points[static_cast<std::size_t>(i)].answer->summary.step.value);
}

void SweepTest::what_cannot_be_says_why() {
  // Four layers are no three stages on four GPUs.
  const std::vector<SweepPoint> points =
      swept({small_scenario(), {*swept_field("parallelism.pipeline", "3,4")}});
  QCOMPARE(points.size(), std::size_t{2});
  QVERIFY(!points[0].answer.has_value());
  QVERIFY2(points[0].reason.find("parallelism") != std::string::npos, points[0].reason.c_str());
  QVERIFY(points[1].fits());
  QVERIFY(!sweep_front(points, Figure::step, Figure::memory)[0]);
}

void SweepTest::a_sweep_is_cancelled() {
  SweepRun run;
  SweepWish wish{first_scenario(), {*swept_field("parallelism.micro_batches", "1..200")}};
  QVERIFY(!run.start(wish));
  QVERIFY(QTest::qWaitFor([&] { return run.done() > 0; }, 30000));
  run.cancel();
  QVERIFY(!run.running());
  const std::size_t done = run.done();
  QVERIFY(done < 200);
  // Another begins at once, and takes the place of what came.
  QVERIFY(!run.start({small_scenario(), {*swept_field("parallelism.micro_batches", "4,8")}}));
  QVERIFY(QTest::qWaitFor([&] { return !run.running(); }, 30000));
  QCOMPARE(run.come().size(), std::size_t{2});
}

}  // namespace quintet::gui

QTEST_GUILESS_MAIN(quintet::gui::SweepTest)
#include "sweep_test.moc"
