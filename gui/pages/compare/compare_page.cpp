#include "gui/pages/compare/compare_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

constexpr std::array ways{DifferenceBy::stack, DifferenceBy::layer, DifferenceBy::operators,
                          DifferenceBy::axis, DifferenceBy::cause};

int ranks_of(const Timeline& timeline) {
  int most = 0;
  for (const Track& track : timeline.tracks) most = std::max(most, track.rank.value + track.ranks);
  return most;
}

}  // namespace

ComparePage::ComparePage(Document& document, QWidget* parent) : Page(document, parent) {
  auto& row = owned<QHBoxLayout>(this);
  row.setContentsMargins(8, 8, 8, 8);
  row.setSpacing(8);
  choice_ = &owned<CompareChoice>(this);
  choice_->setFixedWidth(250);
  row.addWidget(choice_);
  auto& halves = owned<QSplitter>(Qt::Vertical, this);
  halves.addWidget(&add_pictures());
  halves.addWidget(&add_tables());
  halves.setStretchFactor(0, 5);
  halves.setStretchFactor(1, 4);
  halves.setChildrenCollapsible(false);
  halves.setSizes({560, 440});  // of a thousand: shares
  row.addWidget(&halves, 1);
  add_actions();
  connect(choice_, &CompareChoice::changed, this, &ComparePage::show_columns);
  connect(choice_, &CompareChoice::keep_wanted, this, [this] { ask_name(false); });
  connect(choice_, &CompareChoice::rename_wanted, this, [this] { ask_name(true); });
  connect(choice_, &CompareChoice::forget_wanted, this, &ComparePage::forget_current);
  connect(choice_, &CompareChoice::open_wanted, this, &ComparePage::open_current);
  for (const auto signal :
       {&Document::scenario_changed, &Document::outcome_changed, &Document::kept_changed})
    connect(&document, signal, this, &ComparePage::take_columns);
  connect(&document, &Document::recording_changed, this, &ComparePage::sum_up_recording);
  connect(&document, &Document::range_changed, this, &ComparePage::show_strips);
  connect(&document, &Document::appearance_changed, this, [this] {
    bars_->update();
    strips_->update();
  });
  for (Worker* worker : {&differs_, &sums_})
    connect(worker, &Worker::broke, &document, &Document::failed);
  take_columns();
}

QWidget& ComparePage::add_pictures() {
  auto& pictures = owned<QSplitter>(Qt::Horizontal, this);
  const auto theme = [this]() -> const Theme& { return document().theme(); };
  bars_ = &owned<PlotView>(theme, "Where the time of each step goes", &pictures);
  bars_->setObjectName("compare-bars");
  strips_ = &owned<StripsView>(theme, &pictures);
  strips_->setObjectName("compare-strips");
  pictures.addWidget(bars_);
  pictures.addWidget(strips_);
  pictures.setChildrenCollapsible(false);
  connect(strips_, &StripsView::range_wanted, this, [this](Instant from, Instant to) {
    document().choose_range(TimeRange{from, to});
  });
  connect(strips_, &StripsView::whole_wanted, this,
          [this] { document().choose_range(std::nullopt); });
  return pictures;
}

QTableView& ComparePage::add_table(QAbstractItemModel& model, const QString& name) {
  auto& table = owned<QTableView>(this);
  table.setModel(&model);
  table.setAccessibleName(name);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(22);
  table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table.horizontalHeader()->setMaximumSectionSize(420);
  return table;
}

QWidget& ComparePage::add_tables() {
  tables_ = &owned<QTabWidget>(this);
  tables_->setObjectName("compare-tables");
  tables_->addTab(&add_table(figures_, "Figures of each"), "Figures");
  tables_->addTab(&add_table(parts_, "Where the time of each step goes"), "Parts of the step");
  auto& page = owned<QWidget>(tables_);
  auto& row = owned<QHBoxLayout>(&page);
  row.setContentsMargins(4, 4, 4, 4);
  auto& left = owned<QVBoxLayout>();
  by_ = &owned<QComboBox>(&page);
  by_->setObjectName("compare-by");
  by_->setAccessibleName("By what the difference is told");
  for (const DifferenceBy by : ways) by_->addItem("By " + text_of(by), static_cast<int>(by));
  left.addWidget(by_);
  left.addWidget(&add_table(difference_, "The difference of two steps"));
  row.addLayout(&left, 3);
  words_ = &owned<QTextBrowser>(&page);
  words_->setObjectName("compare-words");
  words_->setAccessibleName("Why the steps differ");
  row.addWidget(words_, 2);
  tables_->addTab(&page, "Difference, and why");
  connect(by_, &QComboBox::currentIndexChanged, this, &ComparePage::show_difference);
  connect(tables_, &QTabWidget::currentChanged, this, &ComparePage::find_difference);
  return *tables_;
}

QAction& ComparePage::add_action(const QString& text, const QString& keys,
                                 std::function<void()> act) {
  auto& action = owned<QAction>(text, this);
  if (!keys.isEmpty()) action.setShortcut(QKeySequence(keys));
  connect(&action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  actions_ << &action;
  return action;
}

void ComparePage::add_actions() {
  add_action("Make what is chosen the current scenario", "", [this] { open_current(); });
  add_action("Rename what was kept...", "", [this] { ask_name(true); });
  add_action("Forget what was kept", "", [this] { forget_current(); });
  add_action("Make it the base", "", [this] { choice_->set_base(choice_->current()); });
  add_action("Figures", "", [this] { tables_->setCurrentIndex(0); });
  add_action("Parts of the step", "", [this] { tables_->setCurrentIndex(1); });
  for (const DifferenceBy by : ways)
    add_action("Difference by " + text_of(by), "", [this, by] { show_difference_by(by); });
}

void ComparePage::show_difference_by(DifferenceBy by) {
  tables_->setCurrentIndex(2);
  by_->setCurrentIndex(by_->findData(static_cast<int>(by)));
}

const CompareColumn* ComparePage::column(const QString& key) const {
  for (const CompareColumn& each : columns_)
    if (each.key == key) return &each;
  return nullptr;
}

void ComparePage::take_columns() {
  columns_ = compare_columns(document(), recorded_);
  choice_->set_columns(columns_);
  show_columns();
}

void ComparePage::sum_up_recording() {
  recorded_.reset();
  sums_.cancel();
  if (const Timeline* recording = document().recording())
    sums_.start("Summing up the recording", [this, timeline = *recording](const Progress&) {
      RankBreakdown sum = mean(breakdowns(timeline));
      return [this, sum = std::move(sum)] {
        recorded_ = sum;
        take_columns();
      };
    });
  take_columns();
}

Columns ComparePage::chosen() const {
  Columns all;
  for (const CompareColumn& each : columns_)
    if (each.ready() && (choice_->is_chosen(each.key) || each.key == choice_->base()))
      all.push_back(each);
  return all;
}

std::size_t ComparePage::base_among(const Columns& columns) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].key == choice_->base()) return i;
  return 0;
}

const CompareColumn* ComparePage::other() const {
  const CompareColumn* current = column(choice_->current());
  if (current != nullptr && current->ready() && current->key != choice_->base()) return current;
  for (const CompareColumn& each : columns_)
    if (each.ready() && each.key != choice_->base() && choice_->is_chosen(each.key)) return &each;
  return nullptr;
}

void ComparePage::show_columns() {
  const Columns columns = chosen();
  const std::size_t base = base_among(columns);
  bars_->set_plot(plot_of(parts_plot(columns, base)));
  figures_.set_rows(figures_table(columns, base));
  parts_.set_rows(parts_table(columns, base));
  show_strips();
  find_difference();
}

void ComparePage::show_strips() {
  Strips strips;
  strips.title = QString("Timelines of rank %1").arg(choice_->rank());
  strips.empty = "Timelines of what is chosen on the left stand here, over one range of time.";
  Instant whole;
  int ranks = 1;
  for (const CompareColumn& each : chosen()) {
    if (each.timeline->tracks.empty()) continue;
    const std::size_t track = track_showing(*each.timeline, choice_->rank());
    const Track& shown = each.timeline->tracks[track];
    strips.strips.push_back(
        {QString("%1, rank %2, stage %3").arg(each.name).arg(shown.rank.value).arg(shown.stage),
         each.timeline, track});
    whole = std::max(whole, each.timeline->end);
    ranks = std::max(ranks, ranks_of(*each.timeline));
  }
  choice_->set_ranks(ranks);
  const auto& range = document().range();
  strips.from = range ? range->from : Instant{};
  strips.to = range ? range->to : whole;
  strips_->set_strips(std::move(strips), whole);
}

// Only while it is looked at: matching spans of long timelines takes a moment.
void ComparePage::find_difference() {
  differs_.cancel();
  between_.reset();
  between_wrong_.clear();
  const CompareColumn *base = column(choice_->base()), *beside = other();
  const bool can = base != nullptr && base->ready() && beside != nullptr;
  if (!can) between_wrong_ = "There is nothing beside the base to compare it with.";
  if (can && tables_->currentIndex() == 2) {
    between_base_ = base->name;
    between_other_ = beside->name;
    differs_.start("Comparing",
                   [this, one = *base->timeline, two = *beside->timeline](const Progress&) {
                     Result<StepParts> parts = step_parts(one, two);
                     return [this, parts = std::move(parts)] {
                       if (parts)
                         between_ = *parts;
                       else
                         between_wrong_ = text(parts.error().text());
                       show_difference();
                     };
                   });
  }
  show_difference();
}

void ComparePage::show_difference() {
  if (!between_) {
    difference_.set_rows({});
    words_->setPlainText(between_wrong_.isEmpty() ? "Comparing ..." : between_wrong_);
    return;
  }
  difference_.set_rows(difference_table(*between_,
                                        static_cast<DifferenceBy>(by_->currentData().toInt()),
                                        between_base_, between_other_));
  words_->setHtml(difference_words(*between_, between_base_, between_other_));
}

void ComparePage::keep(const QString& name) {
  document().keep(name);
}

void ComparePage::rename_current(const QString& name) {
  const CompareColumn* current = column(choice_->current());
  if (current != nullptr && current->kind == ColumnKind::kept && !name.isEmpty())
    document().rename(current->number, name);
}

void ComparePage::forget_current() {
  const CompareColumn* current = column(choice_->current());
  if (current != nullptr && current->kind == ColumnKind::kept) document().forget(current->number);
}

void ComparePage::open_current() {
  const CompareColumn* current = column(choice_->current());
  if (current == nullptr || !current->scenario) return;
  const Scenario scenario = *current->scenario;  // the column goes as the scenario changes
  document().edit("Open " + current->name, scenario);
}

void ComparePage::ask_name(bool renames) {
  const CompareColumn* current = column(choice_->current());
  if (renames && (current == nullptr || current->kind != ColumnKind::kept)) return;
  bool said = false;
  const QString proposed = renames ? current->name : text(difference_text(document().scenario()));
  const QString name =
      QInputDialog::getText(this, renames ? "Rename" : "Keep", "What is it called, beside others?",
                            QLineEdit::Normal, proposed, &said);
  if (!said || name.isEmpty()) return;
  if (renames)
    rename_current(name);
  else
    keep(name);
}

std::vector<Exported> ComparePage::exports() {
  const Columns columns = chosen();
  const Plot bars = plot_of(parts_plot(columns, base_among(columns)));
  return {
      {"breakdown", "Where the time of each step goes",
       [this, bars](QPainter& painter, const QSizeF& size) {
         paint_plot(painter, size, document().theme(), bars);
       },
       &parts_},
      {"timelines", "Timelines side by side",
       [this](QPainter& painter, const QSizeF& size) { strips_->paint(painter, size); }, nullptr},
      {"figures", "Figures of each", {}, &figures_},
      {"difference", "The difference of two steps", {}, &difference_}};
}

}  // namespace quintet::gui
