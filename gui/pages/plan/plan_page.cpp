#include "gui/pages/plan/plan_page.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "gui/models/plan_tables.h"
#include "gui/scenario/plan_state.h"
#include "gui/widgets/owned.h"
#include "sim/plan/plan_file.h"

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

// "plan.json: parallelism.tensor", "--set parallelism.tensor=3" -> the field.
std::string field_in(const std::string& where) {
  std::string field = where;
  if (const auto colon = field.rfind(": "); colon != std::string::npos) field.erase(0, colon + 2);
  if (field.starts_with("--set ")) field.erase(0, 6);
  return field.substr(0, field.find('='));
}

QString change_text(const std::string& field, const std::string& value) {
  const QString name = text(field.substr(field.rfind('.') + 1));
  return value.empty() ? name + " as the file says" : name + " " + text(plain_value(value));
}

}  // namespace

PlanPage::PlanPage(Document& document, QWidget* parent)
    : Page(document, parent),
      fields_(
          plan_fields(),
          [this](const std::string& field, const std::string& value) {
            return change(field, value, true);
          },
          [this](const std::string& field, const std::string& value) {
            return change(field, value, false);
          }) {
  // Views know their columns from the first on.
  problem_rows_.set_rows(problems_table_of({}));
  memory_rows_.set_rows(memory_table_of({}, {}));
  difference_rows_.set_rows(difference_table_of({}));
  effect_rows_.set_rows(effects_table_of({}));
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(8, 6, 8, 4);
  inputs_ = &owned<InputRow>(document, this);
  column.addWidget(inputs_);
  problems_ = &plain_table(problem_rows_, "What does not fit", this);
  problems_->horizontalHeader()->setStretchLastSection(true);
  column.addWidget(problems_);
  auto& halves = owned<QSplitter>(Qt::Horizontal, this);
  panel_ = &owned<FieldPanel>(document, fields_, &halves);
  halves.addWidget(panel_);
  halves.addWidget(&right_side());
  halves.setStretchFactor(0, 1);
  halves.setStretchFactor(1, 1);
  column.addWidget(&halves, 1);
  add_actions();
  const auto choose = [this](const QModelIndex& at) {
    panel_->choose(problem_rows_.index(at.row(), 0).data().toString().toStdString());
  };
  connect(problems_, &QTableView::clicked, this, choose);
  connect(problems_, &QTableView::activated, this, choose);
  connect(&fields_, &FieldTreeModel::refused, &document, &Document::failed);
  connect(&document, &Document::scenario_changed, this, &PlanPage::show_scenario);
  connect(&document, &Document::outcome_changed, this, &PlanPage::show_outcome);
  connect(&document, &Document::appearance_changed, this, [this] { update(); });
  connect(&writer_, &Worker::broke, &document, &Document::failed);
  show_outcome();
}

QWidget& PlanPage::right_side() {
  auto& right = owned<QSplitter>(Qt::Vertical, this);
  memory_ = &owned<PictureBox>(
      "Memory of each stage",
      [this](QPainter& painter, const QSizeF& size) {
        paint_memory(painter, size, document().theme(), memory_bars());
      },
      memory_rows_, &right);
  step_ = &owned<PictureBox>(
      "Where the step goes",
      [this](QPainter& painter, const QSizeF& size) {
        paint_step(painter, size, document().theme(), step_bars());
      },
      difference_rows_, &right);
  changes_ = &owned<QTabWidget>(&right);
  changes_->setDocumentMode(true);
  changes_->setAccessibleName("What changes did");
  QTableView& effects = plain_table(effect_rows_, "What each change did to the step", changes_);
  effects.horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  changes_->addTab(&effects, "What each change did");
  changes_->addTab(
      &plain_table(difference_rows_, "Where the last change made a difference", changes_),
      "The last change, part by part");
  for (QWidget* each : {static_cast<QWidget*>(memory_), static_cast<QWidget*>(step_),
                        static_cast<QWidget*>(changes_)})
    right.addWidget(each);
  right.setSizes({160, 150, 170});
  right.setChildrenCollapsible(false);
  return right;
}

int PlanPage::places() const {
  const Outcome* outcome = document().outcome();
  return outcome == nullptr ? 0 : static_cast<int>(rank_slots(outcome->topology()).size());
}

std::optional<Error> PlanPage::change(const std::string& field, const std::string& value,
                                      bool only_check) {
  const Result<Scenario> next = with_plan_field(document().scenario(), field, value, places());
  if (!next) return next.error();
  if (!only_check) document().edit(change_text(field, value), *next);
  return std::nullopt;
}

std::vector<FieldProblem> PlanPage::problems_now(const PlanState& state) const {
  std::vector<FieldProblem> problems;
  if (state.error) problems.push_back({field_in(state.error->where), state.error->text(), ""});
  const Outcome* outcome = document().outcome();
  if (document().error() && document().outdated() && !state.error)
    problems.push_back({field_in(document().error()->where), document().error()->text(), ""});
  if (outcome == nullptr || document().outdated()) return problems;
  if (outcome->refused)
    for (const Problem& problem : outcome->refused->problems)
      problems.push_back({problem.field, problem.reason, problem.remedy});
  if (outcome->predicted() && verdict(outcome->prediction().memory) == MemoryVerdict::does_not_fit)
    problems.push_back({"memory", verdict_text(outcome->prediction().memory),
                        "more tensor or pipeline, sharding, recompute, a smaller micro_batch"});
  return problems;
}

void PlanPage::show_scenario() {
  const PlanState state = plan_state(document().scenario(), places());
  const std::vector<FieldProblem> problems = problems_now(state);
  fields_.show({state.value, state.said, state.as_file, state.asked, problems});
  problem_rows_.set_rows(problems_table_of(problems));
  const int rows = std::min<int>(4, static_cast<int>(problems.size()));
  problems_->setVisible(rows > 0);
  problems_->setFixedHeight(problems_->horizontalHeader()->sizeHint().height() +
                            rows * problems_->verticalHeader()->defaultSectionSize() + 4);
  effect_rows_.set_rows(effects_table_of(document().effects()));
}

void PlanPage::show_outcome() {
  if (document().effects().empty()) steps_.forget();
  if (const Outcome* outcome = document().outcome()) steps_.add(*outcome);
  if (steps_.now())
    memory_rows_.set_rows(memory_table_of(steps_.now()->stages, steps_.now()->capacity));
  difference_rows_.set_rows(difference_table_of(steps_.rows()));
  show_scenario();
  memory_->set_words(memory_bars().says);
  const Outcome* outcome = document().outcome();
  step_->set_words(outcome == nullptr ? QString("Nothing is predicted yet")
                                      : "Step " + text(step_text(*outcome)));
}

MemoryBars PlanPage::memory_bars() const {
  MemoryBars bars;
  const Outcome* outcome = document().outcome();
  if (!steps_.now()) {
    bars.says = "nothing is predicted yet";
    return bars;
  }
  bars.stages = steps_.now()->stages;
  bars.capacity = steps_.now()->capacity;
  const bool is_of_now = outcome != nullptr && outcome->predicted();
  bars.says = is_of_now ? text(verdict_text(outcome->prediction().memory))
                        : QString("of the last plan that fitted model and machine");
  return bars;
}

StepBars PlanPage::step_bars() const {
  const Outcome* outcome = document().outcome();
  return {steps_.rows(), steps_.before().has_value(), outcome == nullptr || outcome->predicted()};
}

std::vector<Exported> PlanPage::exports() {
  return {{"memory", "Memory of each stage",
           [this](QPainter& painter, const QSizeF& size) {
             paint_memory(painter, size, document().theme(), memory_bars());
           },
           &memory_rows_},
          {"step", "Where the step goes, before and after the last change",
           [this](QPainter& painter, const QSizeF& size) {
             paint_step(painter, size, document().theme(), step_bars());
           },
           &difference_rows_},
          {"changes", "What each change did to the step", {}, &effect_rows_},
          {"fields", "The plan's fields", {}, &fields_},
          {"problems", "What does not fit", {}, &problem_rows_}};
}

}  // namespace quintet::gui
