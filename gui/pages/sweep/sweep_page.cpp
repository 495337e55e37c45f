#include "gui/pages/sweep/sweep_page.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/scenario/sweep/sweep_pareto.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

// What a page that nobody has asked anything yet varies, where a prediction is quick enough not to
// be noticed: the network, and what trades time for memory.
const std::vector<SweptField>& first_fields() {
  static const std::vector<SweptField> fields{
      {SweptKind::field, "topology.nics", {"1", "2", "4", "8"}},
      {SweptKind::field, "parallelism.recompute", {"none", "selective", "full"}}};
  return fields;
}
constexpr Seconds unnoticed{0.5};

QString text(std::string_view words) {
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

QString figure_text(Figure figure) {
  const QString name = text(name_of(figure));
  return name.left(1).toUpper() + name.mid(1);
}

}  // namespace

SweepPage::SweepPage(Document& document, QWidget* parent) : Page(document, parent), run_(this) {
  auto& row = owned<QHBoxLayout>(this);
  row.setContentsMargins(8, 8, 8, 8);
  row.setSpacing(8);
  row.addWidget(&add_panel());
  stack_ = &owned<QStackedWidget>(this);
  picture_ = &owned<PlotView>([&document]() -> const Theme& { return document.theme(); },
                              "Points of the sweep", stack_);
  picture_->setObjectName("sweep-picture");
  table_ = &owned<QTableView>(stack_);
  table_->setObjectName("sweep-table");
  table_->setAccessibleName("Points of the sweep as a table");
  table_->setModel(&rows_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setStretchLastSection(true);
  stack_->addWidget(picture_);
  stack_->addWidget(table_);
  row.addWidget(stack_, 1);
  add_actions();
  connect(picture_, &PlotView::opened, this, [this](int id) { open_case(id % marks_per_panel); });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    open_case(run_.come_numbers()[static_cast<std::size_t>(index.row())]);
  });
  connect(&run_, &SweepRun::changed, this, &SweepPage::show_points);
  connect(&run_, &SweepRun::ended, this, &SweepPage::show_points);
  connect(&run_, &SweepRun::broke, &document, &Document::failed);
  connect(&document, &Document::scenario_changed, this, &SweepPage::show_points);
  connect(&document, &Document::appearance_changed, picture_, qOverload<>(&QWidget::update));
  connect(&document, &Document::part_changed, this, &SweepPage::offer_parts);
  connect(&document, &Document::scenario_changed, this, &SweepPage::offer_parts);
  connect(&document, &Document::outcome_changed, this, [this] {
    if (isVisible()) start_first();
  });
  offer_parts();
  controls_->set_fields(first_fields());
  show_choices();
  show_points();
}

QWidget& SweepPage::add_panel() {
  auto& scroll = owned<QScrollArea>(this);
  scroll.setAccessibleName("What is swept and how it is drawn");
  scroll.setWidgetResizable(true);
  scroll.setFrameShape(QFrame::NoFrame);
  scroll.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll.setFixedWidth(292);
  auto& panel = owned<QWidget>(&scroll);
  auto& column = owned<QVBoxLayout>(&panel);
  column.setContentsMargins(0, 0, 6, 0);
  controls_ = &owned<SweepControls>(&panel);
  add_choices(panel);
  column.addWidget(controls_);
  column.addStretch();
  scroll.setWidget(&panel);
  connect(controls_, &SweepControls::run_wanted, this, &SweepPage::run);
  connect(controls_, &SweepControls::cancel_wanted, this, [this] { run_.cancel(); });
  return scroll;
}

void SweepPage::add_choices(QWidget& panel) {
  auto& form = owned<QFormLayout>();
  form.setContentsMargins(0, 0, 0, 4);
  view_ = &owned<QComboBox>(&panel);
  view_->setObjectName("sweep-view");
  view_->addItems({"Lines", "Heat map", "Pareto front"});
  view_->setAccessibleName("How the sweep is drawn");
  first_ = &owned<QComboBox>(&panel);
  first_->setObjectName("sweep-first");
  first_->setAccessibleName("Figure that is drawn");
  second_ = &owned<QComboBox>(&panel);
  second_->setObjectName("sweep-second");
  second_->setAccessibleName("Second figure of the Pareto front");
  form.addRow("Draw", view_);
  form.addRow("Figure", first_);
  form.addRow("Against", second_);
  second_row_ = form.labelForField(second_);
  static_cast<QVBoxLayout*>(panel.layout())->addLayout(&form);
  connect(view_, &QComboBox::currentIndexChanged, this, [this] {
    show_choices();
    show_points();
  });
  connect(first_, &QComboBox::currentIndexChanged, this, &SweepPage::show_points);
  connect(second_, &QComboBox::currentIndexChanged, this, &SweepPage::show_points);
}

QAction& SweepPage::add_action(const QString& text, const QString& keys,
                               std::function<void()> act) {
  auto& action = owned<QAction>(text, this);
  if (!keys.isEmpty()) action.setShortcut(QKeySequence(keys));
  connect(&action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  actions_ << &action;
  return action;
}

void SweepPage::add_actions() {
  add_action("Run the sweep", "Ctrl+R", [this] { run(); });
  add_action("Cancel the sweep", "", [this] { run_.cancel(); });
  add_action("Draw lines", "", [this] { view_->setCurrentIndex(0); });
  add_action("Draw a heat map", "", [this] { view_->setCurrentIndex(1); });
  add_action("Draw the Pareto front", "", [this] { view_->setCurrentIndex(2); });
  QAction& table = add_action("Table of the sweep", "Ctrl+T", [] {});
  table.setCheckable(true);
  connect(&table, &QAction::toggled, this, [this](bool on) { stack_->setCurrentIndex(on ? 1 : 0); });
  add_action("Open the best point", "", [this] {
    if (const auto best = best_case(run_.points())) open_case(static_cast<int>(*best));
  });
}

void SweepPage::start_first() {
  if (asked_ || document().outcome() == nullptr) return;
  if (document().outcome()->took > unnoticed) return;
  run();
}

void SweepPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  start_first();
}

void SweepPage::run() {
  asked_ = true;
  wrong_.clear();
  const Result<std::vector<SweptField>> fields = controls_->fields();
  if (!fields) {
    wrong_ = text(fields.error().text());
    return show_state();
  }
  if (const auto error = run_.start({document().scenario(), *fields})) {
    wrong_ = text(error->text());
    return show_state();
  }
  show_choices();
  emit document().session_changed();  // the command is another
}

void SweepPage::set_fields(const std::vector<SweptField>& fields) {
  asked_ = true;
  controls_->set_fields(fields);
}

void SweepPage::open_case(int number) {
  const auto& points = run_.points();
  if (number < 0 || static_cast<std::size_t>(number) >= points.size()) return;
  const auto& point = points[static_cast<std::size_t>(number)];
  if (!point) return;
  document().edit("Open " + text(case_text(run_.wish(), point->what)), point->what.scenario);
}

QString SweepPage::command() const {
  const Result<std::vector<SweptField>> fields = controls_->fields();
  if (!run_.points().empty()) return text(sweep_command(run_.wish()));
  return fields ? text(sweep_command({document().scenario(), *fields})) : QString();
}

SweepPage::View SweepPage::view() const {
  return static_cast<View>(view_->currentIndex());
}

SweepShown SweepPage::shown() const {
  return {run_.wish(), run_.come(), run_.come_numbers(), document().scenario()};
}

// Of lines, the first choice is all figures.
void SweepPage::show_choices() {
  const QSignalBlocker one(first_), two(second_);
  const bool is_lines = view() == View::lines, is_pareto = view() == View::pareto;
  const QString was = first_->currentText(), other = second_->currentText();
  first_->clear();
  second_->clear();
  if (is_lines) first_->addItem("All", -1);
  for (int number = 0; number < figure_count; ++number) {
    const auto figure = static_cast<Figure>(number);
    for (QComboBox* each : {first_, second_}) {
      each->addItem(figure_text(figure), number);
      each->setItemData(each->count() - 1, text(meaning_of(figure)), Qt::ToolTipRole);
    }
  }
  first_->setCurrentIndex(std::max(0, first_->findText(was)));
  const int memory = static_cast<int>(Figure::memory);
  second_->setCurrentIndex(other.isEmpty() ? memory : std::max(0, second_->findText(other)));
  second_->setVisible(is_pareto);
  second_row_->setVisible(is_pareto);
}

Plot SweepPage::plot() const {
  const SweepShown now = shown();
  const int chosen = first_->currentData().toInt();
  switch (view()) {
    case View::lines: {
      const std::vector<Figure> known = known_figures(now.points);
      return plot_of(sweep_lines(now, chosen >= 0 ? std::vector{static_cast<Figure>(chosen)}
                                      : known.empty() ? std::vector{Figure::step}
                                                      : known));
    }
    case View::heat:
      return plot_of(sweep_heat(now, static_cast<Figure>(chosen)));
    case View::pareto:
      return plot_of(sweep_pareto(now, static_cast<Figure>(chosen),
                                  static_cast<Figure>(second_->currentData().toInt())));
  }
  return {};
}

void SweepPage::show_points() {
  picture_->set_plot(plot());
  rows_.set_rows(sweep_table(shown()));
  controls_->show_run(run_.running(), run_.done(), run_.points().size());
  show_state();
}

void SweepPage::show_state() {
  if (!wrong_.isEmpty()) return controls_->show_state(wrong_, true);
  const std::vector<SweepPoint> points = run_.come();
  if (points.empty()) return controls_->show_state("", false);
  const auto missing = std::count_if(points.begin(), points.end(),
                                     [](const SweepPoint& point) { return !point.answer; });
  const auto full = std::count_if(points.begin(), points.end(), [](const SweepPoint& point) {
    return point.answer && !point.fits();
  });
  QString words = QString("%1 of %2 predicted").arg(points.size()).arg(run_.points().size());
  if (missing > 0) words += QString(", %1 cannot be (crosses)").arg(missing);
  if (full > 0) words += QString(", %1 do not fit into the memory (hollow)").arg(full);
  words += ".";
  if (const auto best = best_case(run_.points())) {
    const SweepPoint& point = *run_.points()[*best];
    words += QString(" Fastest that fits: %1, %2.")
                 .arg(text(case_text(run_.wish(), point.what)), text(text_of(point, Figure::step)));
  } else if (missing > 0) {
    words += " " + text(points.front().reason).left(300);
  }
  controls_->show_state(words, false);
}

void SweepPage::offer_parts() {
  QStringList parts;
  if (!document().part().isEmpty()) parts << document().part();
  for (const std::string& entry : document().scenario().faults.slow) {
    const QString part = text(entry).section('=', 0, 0);
    if (!parts.contains(part)) parts << part;
  }
  controls_->offer_parts(parts);
}

std::vector<Exported> SweepPage::exports() {
  const auto painted = [this](const Plot& plot) {
    return [this, plot](QPainter& painter, const QSizeF& size) {
      paint_plot(painter, size, document().theme(), plot);
    };
  };
  return {{"points", "Points of the sweep", painted(plot()), &rows_}};
}

}  // namespace quintet::gui
