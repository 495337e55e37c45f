// The plan's fields as a tree over a scenario, without a window.
#include "gui/models/field_tree_model.h"

#include <QSignalSpy>
#include <QtTest>

#include "gui/models/field_filter.h"
#include "gui/scenario/plan_state.h"
#include "sim/plan/plan_file.h"
#include "tests/gui/support/window_world.h"

namespace quintet::gui {

// A scenario and the tree that edits it.
struct Edited {
  explicit Edited(Scenario start, int ranks)
      : scenario(std::move(start)),
        places(ranks),
        tree(
            plan_fields(),
            [this](const std::string& field, const std::string& value) {
              const auto next = with_plan_field(scenario, field, value, places);
              return next ? std::nullopt : std::optional(next.error());
            },
            [this](const std::string& field, const std::string& value) {
              const auto next = with_plan_field(scenario, field, value, places);
              if (!next) return std::optional(next.error());
              scenario = *next;
              show();
              return std::optional<Error>();
            }) {
    show();
  }

  void show(std::vector<FieldProblem> problems = {}) {
    const PlanState state = plan_state(scenario, places);
    tree.show({state.value, state.said, state.as_file, state.asked, std::move(problems)});
  }
  bool set(const std::string& field, const QString& value) {
    return tree.setData(tree.index_of(field), value);
  }
  QString cell(const std::string& field, FieldTreeModel::Column column) {
    return tree.index_of(field).siblingAtColumn(column).data().toString();
  }

  Scenario scenario;
  int places;
  FieldTreeModel tree;
};

Scenario large_scenario() {
  return first_scenario();
}

std::vector<QModelIndex> all_rows(const FieldTreeModel& tree, const QModelIndex& above = {}) {
  std::vector<QModelIndex> rows;
  for (int row = 0; row < tree.rowCount(above); ++row) {
    rows.push_back(tree.index(row, FieldTreeModel::value_column, above));
    for (const QModelIndex& each : all_rows(tree, tree.index(row, 0, above))) rows.push_back(each);
  }
  return rows;
}

// Another value than the one there is, such as a person would give.
QString another_value(const FieldDescription& field, const QString& now) {
  switch (field.kind) {
    case FieldKind::word:
      for (const std::string& word : field.words)
        if (QString::fromStdString(word) != now) return QString::fromStdString(word);
      return now;
    case FieldKind::truth:
      return now == "true" ? "false" : "true";
    case FieldKind::whole:
      return now == "2" ? "4" : "2";
    case FieldKind::number:
      return now == "0.5" ? "0.25" : "0.5";
    case FieldKind::size:
      return "32 MB";
    case FieldKind::time:
      return "12 s";
    case FieldKind::bandwidth:
      return "3 GB/s";
    case FieldKind::list:
      return field.key == "order" ? R"(["data","tensor","context","expert","pipeline"])" : "[1,2]";
    case FieldKind::object:
      return "{}";
    default:
      return "another, \"quoted\"";
  }
}

class FieldTreeTest : public QObject {
  Q_OBJECT

 private slots:
  void has_every_field_of_the_plan();
  void each_kind_of_field_is_set_or_refused_aloud();
  void a_change_and_what_follows_from_it_are_marked();
  void a_wrong_value_says_what_would_do();
  void a_reset_gives_the_file_back();
  void a_value_that_is_so_anyhow_is_no_change();
  void lists_and_objects_are_json();
  void other_spellings_of_a_setting_are_the_same_field();
  void problems_stand_at_their_fields();
  void a_filter_finds_names_and_meanings();
};

int fields_in(const FieldDescription& object) {
  int count = 0;
  for (const FieldDescription& field : object.fields)
    count += 1 + (field.kind == FieldKind::object ? fields_in(field) : 0);
  return count;
}

void FieldTreeTest::has_every_field_of_the_plan() {
  Edited edited(large_scenario(), 1024);
  QCOMPARE(static_cast<int>(all_rows(edited.tree).size()), fields_in(plan_fields()));
  QCOMPARE(edited.cell("parallelism.tensor", FieldTreeModel::value_column), QString("8"));
  QCOMPARE(edited.cell("parallelism.tensor", FieldTreeModel::file_column), QString("8"));
  QCOMPARE(edited.cell("ccl.tuner", FieldTreeModel::file_column), QString("left out"));
  QCOMPARE(edited.cell("ccl.bucket", FieldTreeModel::value_column), QString("160 MB"));
  QVERIFY(edited.tree.index_of("parallelism.recompute")
              .data(Qt::ToolTipRole)
              .toString()
              .contains("selective"));
}

// Each row on its own: it is as it was set, or the reader's refusal names it.
void FieldTreeTest::each_kind_of_field_is_set_or_refused_aloud() {
  std::set<FieldKind> taken;
  Edited first(large_scenario(), 1024);
  for (const QModelIndex& at : all_rows(first.tree)) {
    if (!(at.flags() & Qt::ItemIsEditable)) continue;
    const std::string path = at.data(FieldTreeModel::path_role).toString().toStdString();
    const FieldDescription field = *first.tree.description(at);
    Edited edited(large_scenario(), 1024);
    QSignalSpy refusals(&edited.tree, &FieldTreeModel::refused);
    const QString value = another_value(field, at.data(Qt::EditRole).toString());
    if (edited.set(path, value)) {
      taken.insert(field.kind);
      const PlanState state = plan_state(edited.scenario, 1024);
      QVERIFY2(state.plan, path.c_str());
      const bool is_asked = state.asked.contains(path);
      // What is not asked for is what the file has already.
      QVERIFY2(is_asked || edited.scenario == large_scenario(), path.c_str());
      if (is_asked && field.kind != FieldKind::object) {
        const auto found = state.value.find(path);
        QVERIFY2(found != state.value.end(), path.c_str());
        QCOMPARE(QString::fromStdString(found->second), value);
      }
    } else {
      QCOMPARE(refusals.count(), 1);
      const QString why = refusals[0][0].toString();
      // An object that it alone would make may lack something else.
      const QStringList way = QString::fromStdString(path).split('.');
      QVERIFY2(why.contains(way.back()) || (way.size() > 2 && why.contains(way[way.size() - 2])),
               qPrintable(why));
      QCOMPARE(edited.tree.index_of(path).data(FieldTreeModel::problem_role).toString(), why);
      QCOMPARE(edited.scenario, large_scenario());
    }
  }
  for (const FieldKind kind :
       {FieldKind::text, FieldKind::truth, FieldKind::whole, FieldKind::number, FieldKind::size,
        FieldKind::time, FieldKind::word, FieldKind::list})
    QVERIFY2(taken.contains(kind), qPrintable(QString::number(static_cast<int>(kind))));
}

// 1,024 places / (4 x 4) = 64 replicas instead of 32; as many sequences a step take 16
// micro-batches each.
void FieldTreeTest::a_change_and_what_follows_from_it_are_marked() {
  Edited edited(large_scenario(), 1024);
  QVERIFY(edited.set("parallelism.tensor", "4"));
  QCOMPARE(edited.scenario, with_setting(large_scenario(), "parallelism.tensor", "4"));
  QCOMPARE(edited.cell("parallelism.tensor", FieldTreeModel::field_column), QString("tensor *"));
  QCOMPARE(edited.cell("parallelism.tensor", FieldTreeModel::file_column), QString("8"));
  QCOMPARE(edited.cell("parallelism.data", FieldTreeModel::value_column), QString("64"));
  QCOMPARE(edited.cell("parallelism.data", FieldTreeModel::field_column), QString("data ~"));
  QCOMPARE(edited.cell("parallelism.micro_batches", FieldTreeModel::value_column), QString("16"));
  QVERIFY(edited.tree.index_of("parallelism.data").data(FieldTreeModel::changed_role).toBool());
  QVERIFY(
      !edited.tree.index_of("parallelism.pipeline").data(FieldTreeModel::changed_role).toBool());
}

void FieldTreeTest::a_wrong_value_says_what_would_do() {
  Edited edited(large_scenario(), 1024);
  const auto refusal = [&](const std::string& field, const QString& value) {
    QSignalSpy refusals(&edited.tree, &FieldTreeModel::refused);
    const auto checked = edited.tree.check(edited.tree.index_of(field), value);
    if (edited.set(field, value) || !checked) return QString();
    const QString why = refusals.value(0).value(0).toString();
    return why == QString::fromStdString(checked->text()) ? why : QString("not what check says");
  };
  QVERIFY(refusal("ccl.bucket", "160 XB").contains("MiB"));
  QVERIFY(refusal("parallelism.tensor", "0").contains("1048576"));
  // 3 x 4 does not divide 1,024.
  QVERIFY(refusal("parallelism.tensor", "3").contains("1024"));
  QVERIFY(refusal("parallelism.schedule", "1f2b").contains("1f1b"));
  QVERIFY(refusal("ccl.rules", "[{\"kind\": \"all-reduse\"}]").contains("all-reduce"));
  QVERIFY(refusal("parallelism.micro_batch", "1,2").contains("sweep"));
  QCOMPARE(edited.scenario, large_scenario());
}

void FieldTreeTest::a_reset_gives_the_file_back() {
  Edited edited(large_scenario(), 1024);
  QVERIFY(edited.set("parallelism.tensor", "4"));
  QVERIFY(edited.set("network.mtu", "9000 B"));
  QVERIFY(edited.tree.reset(edited.tree.index_of("parallelism.tensor")));
  QVERIFY(edited.set("network.mtu", ""));
  QCOMPARE(edited.scenario, large_scenario());
}

void FieldTreeTest::a_value_that_is_so_anyhow_is_no_change() {
  Edited edited(large_scenario(), 1024);
  QVERIFY(edited.set("parallelism.schedule", "gpipe"));
  QVERIFY(edited.set("parallelism.schedule", "1f1b"));
  QCOMPARE(edited.scenario, large_scenario());
}

void FieldTreeTest::lists_and_objects_are_json() {
  Edited edited(large_scenario(), 1024);
  QVERIFY(edited.set("ccl.rules", R"([{"kind": "all-reduce", "algorithm": "ring"}])"));
  QVERIFY(edited.set("parallelism.replicator", R"({"kind": "demo", "top_k": 16})"));
  const PlanState state = plan_state(edited.scenario, 1024);
  QVERIFY(state.plan);
  QCOMPARE(state.plan->ccl.rules.size(), std::size_t{1});
  QCOMPARE(state.plan->parallelism.replicator.top_k, 16);
  // Inside of an object that was asked for, each field is.
  QCOMPARE(edited.cell("parallelism.replicator.top_k", FieldTreeModel::field_column),
           QString("top_k *"));
  QVERIFY(edited.tree.reset(edited.tree.index_of("parallelism.replicator")));
  QCOMPARE(plan_state(edited.scenario, 1024).plan->parallelism.replicator.top_k, 32);
}

void FieldTreeTest::other_spellings_of_a_setting_are_the_same_field() {
  Edited edited(with_setting(large_scenario(), "plan.parallelism.tp", "4"), 1024);
  QCOMPARE(edited.cell("parallelism.tensor", FieldTreeModel::field_column), QString("tensor *"));
  QVERIFY(edited.set("parallelism.tensor", "2"));
  QCOMPARE(edited.scenario, with_setting(large_scenario(), "plan.parallelism.tp", "2"));
  QVERIFY(edited.tree.reset(edited.tree.index_of("parallelism.tensor")));
  QCOMPARE(edited.scenario, large_scenario());
}

void FieldTreeTest::problems_stand_at_their_fields() {
  Edited edited(large_scenario(), 1024);
  edited.show({{"parallelism.tensor", "cannot be split", "use 4"},
               {"ccl.rules[1].axis", "is no axis here", ""}});
  QCOMPARE(edited.tree.index_of("parallelism.tensor").data(FieldTreeModel::problem_role).toString(),
           QString("cannot be split; use 4"));
  QCOMPARE(edited.cell("ccl.rules", FieldTreeModel::field_column), QString("rules !"));
  QCOMPARE(edited.cell("ccl", FieldTreeModel::field_column), QString("ccl !"));
  QCOMPARE(edited.cell("network", FieldTreeModel::field_column), QString("network"));
}

void FieldTreeTest::a_filter_finds_names_and_meanings() {
  Edited edited(large_scenario(), 1024);
  FieldFilter filter;
  filter.setSourceModel(&edited.tree);
  filter.look_for("RDMA");  // in the meaning of host_net.delivery alone
  QCOMPARE(filter.rowCount(), 1);
  const QModelIndex layer = filter.index(0, 0);
  QCOMPARE(filter.rowCount(layer), 1);
  QCOMPARE(filter.index(0, 0, layer).data().toString(), QString("delivery"));
  filter.look_for("");
  filter.show_changed_only(true);
  QCOMPARE(filter.rowCount(), 0);
  QVERIFY(edited.set("network.mtu", "9000 B"));
  QCOMPARE(filter.rowCount(), 1);
}

}  // namespace quintet::gui

QTEST_GUILESS_MAIN(quintet::gui::FieldTreeTest)
#include "field_tree_test.moc"
