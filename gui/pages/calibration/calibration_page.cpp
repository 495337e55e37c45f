#include "gui/pages/calibration/calibration_page.h"

#include <fmt/format.h>

#include <QFileDialog>
#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/pages/calibration/errors_picture.h"
#include "gui/widgets/owned.h"
#include "sim/usage/shipped.h"

namespace quintet::gui {

CalibrationPage::CalibrationPage(Document& document, QWidget* parent)
    : Page(document, parent), parts_(review_, this), points_(review_, this) {
  sorted_.setSourceModel(&parts_);
  sorted_.setSortRole(Qt::UserRole);
  sorted_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  add_actions();
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(8, 8, 8, 8);
  column.addWidget(&header());
  auto& sides = owned<QSplitter>(Qt::Horizontal, this);
  sides.addWidget(&lists_side());
  sides.addWidget(&picture_side());
  sides.setSizes({580, 900});
  sides.setStretchFactor(1, 1);
  column.addWidget(&sides, 1);
  connect(&review_, &CostReview::loaded, this, &CalibrationPage::show_loaded);
  connect(&review_, &CostReview::points_chosen, this, &CalibrationPage::show_header);
  connect(&review_, &CostReview::fitted, this, [this] {
    points_view_->resizeColumnsToContents();
    show_header();
  });
  connect(&review_, &CostReview::failed, &document, &Document::failed);
  connect(&review_, &CostReview::failed, this, [this] { waits_for_table_ = false; });
  connect(&document, &Document::outcome_changed, this, &CalibrationPage::follow_scenario);
  connect(&document, &Document::appearance_changed, view_, qOverload<>(&QWidget::update));
  follow_scenario();
  show_header();
}

// The file of the scenario's table: named, or chosen by the prediction for the machine's GPU.
QString CalibrationPage::table_of_scenario() const {
  const std::string& named = document().scenario().costs;
  if (!named.empty()) {
    const auto found = find_file(FileKind::costs, named);
    return found ? QString::fromStdString(found->string()) : QString();
  }
  const Outcome* outcome = document().outcome();
  return outcome == nullptr ? QString() : QString::fromStdString(outcome->inputs.costs_file);
}

// Unless somebody is at work on another table.
void CalibrationPage::follow_scenario() {
  const bool is_known = document().outcome() != nullptr || document().error().has_value();
  waits_for_table_ = !is_known;
  if (!is_known) return;
  const QString file = table_of_scenario();
  const bool opened_by_hand = !review_.file().isEmpty() && review_.file() != followed_;
  if (file.isEmpty() || file == followed_ || opened_by_hand || !review_.saved()) return;
  followed_ = file;
  review_.load(file);
}

void CalibrationPage::open_table(const QString& file) {
  review_.load(file);
}

void CalibrationPage::show_loaded() {
  parts_view_->resizeColumnsToContents();
  parts_view_->setColumnWidth(CostPartsModel::part,
                              std::min(parts_view_->columnWidth(CostPartsModel::part), 250));
  // What has points comes before what is a formula.
  int first = review_.fits().empty() ? -1 : 0;
  for (std::size_t i = review_.fits().size(); i-- > 0;)
    if (!review_.fits()[i].points.empty()) first = static_cast<int>(i);
  show_part(first);
  show_header();
}

void CalibrationPage::show_part(int part) {
  const QModelIndex row = sorted_.mapFromSource(parts_.index(part, 0));
  if (row.isValid()) parts_view_->setCurrentIndex(row);
  show_chosen_part();
}

int CalibrationPage::chosen_part() const {
  const QModelIndex row = sorted_.mapToSource(parts_view_->currentIndex());
  return row.isValid() ? row.row() : -1;
}

void CalibrationPage::show_chosen_part() {
  if (points_.part() != chosen_part()) points_.show_part(chosen_part());
  points_view_->resizeColumnsToContents();
  show_header();
  view_->update();
}

void CalibrationPage::show_header() {
  const QString file = review_.file();
  const QString name = QString::fromStdString(review_.table().name);
  file_->setText(file.isEmpty()
                     ? QString("No cost table yet")
                     : QString("<b>%1</b> &nbsp; %2%3")
                           .arg(name.toHtmlEscaped(), file.section('/', -1).toHtmlEscaped(),
                                review_.saved() ? "" : " *"));
  file_->setToolTip(file);
  change_->setText(change_text());
  source_->setText(points_.fit() == nullptr ? QString()
                                            : QString::fromStdString(points_.fit()->part.source));
  source_->setToolTip("Where and when it was measured: " + source_->text());
}

// What was left out, and what that did to the error of the chosen part.
QString CalibrationPage::change_text() const {
  if (points_.fit() == nullptr) return {};
  const PartFit& now = *points_.fit();
  const PartFit& all = review_.fits_of_all_points()[static_cast<std::size_t>(points_.part())];
  QString text = "No point is left out";
  if (!review_.excluded().empty())
    text = QString("%1 %2 of the table left out")
               .arg(review_.excluded().size())
               .arg(review_.excluded().size() == 1 ? "point" : "points");
  if (now.held_out != all.held_out && all.held_out.samples > 0)
    text += QString::fromStdString(
        fmt::format("; held-out error of this part {:.1f} %, with all its points {:.1f} %",
                    100 * now.held_out_median, 100 * all.held_out_median));
  return text;
}

bool CalibrationPage::save_table(const QString& file) {
  if (review_.file().isEmpty()) return false;
  if (const auto error = review_.save(file.toStdString())) {
    emit document().failed(QString::fromStdString(error->text()));
    return false;
  }
  show_header();
  return true;
}

bool CalibrationPage::use_in_prediction(const QString& file) {
  if (!save_table(file)) return false;
  followed_ = file;  // what is open here is what it holds
  Scenario next = document().scenario();
  next.costs = file.toStdString();
  document().edit("Use the costs of " + file.section('/', -1), next);
  return true;
}

void CalibrationPage::ask_open() {
  const QString file =
      QFileDialog::getOpenFileName(this, "Open a cost table", {}, "Cost tables (*.json)");
  if (!file.isEmpty()) open_table(file);
}

void CalibrationPage::ask_save(bool then_use) {
  if (review_.file().isEmpty()) return;
  const QString file = QFileDialog::getSaveFileName(
      this, "Save the cost table", "my-" + review_.file().section('/', -1), "Cost tables (*.json)");
  if (file.isEmpty()) return;
  if (then_use)
    use_in_prediction(file);
  else
    save_table(file);
}

std::vector<Exported> CalibrationPage::exports() {
  return {{"fit", "Points, fit and held-out errors of the chosen part",
           [this](QPainter& painter, const QSizeF& size) {
             paint_fit(painter, size, document().theme(), points_.fit(),
                       {view_->quantity(), std::nullopt});
           },
           &points_},
          {"errors", "Held-out errors of all parts",
           [this](QPainter& painter, const QSizeF& size) {
             paint_errors(painter, size, document().theme(), review_.fits());
           },
           &parts_}};
}

}  // namespace quintet::gui
