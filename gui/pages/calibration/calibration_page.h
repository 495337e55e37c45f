// What the cost table rests on: its points, fits and held-out errors; which points count.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>

#include "gui/models/cost_parts_model.h"
#include "gui/models/cost_points_model.h"
#include "gui/models/cost_review.h"
#include "gui/pages/calibration/fit_view.h"
#include "gui/pages/page.h"

namespace quintet::gui {

class CalibrationPage : public Page {
  Q_OBJECT
 public:
  CalibrationPage(Document& document, QWidget* parent);

  QString name() const override { return "calibration"; }
  QString title() const override { return "Calibration"; }
  QString question() const override {
    return "What do the costs rest on, and how far off are they?";
  }
  std::vector<Exported> exports() override;
  QList<QAction*> own_actions() override { return actions_; }
  bool busy() const override { return waits_for_table_ || review_.busy(); }

  CostReview& review() { return review_; }
  void open_table(const QString& file);
  // Writes what counts into the file, and has the scenario priced by it.
  bool use_in_prediction(const QString& file);
  bool save_table(const QString& file);
  // A row of CostReview::fits().
  void show_part(int part);

 private:
  // In the order in which they are added.
  enum Act { open, toggle, contradicted, accept_part, accept_table, undo, redo, save, use, rates };
  void add_actions();
  void add_undo_words();
  void choose_of_part(const QString& what,
                      ExcludedPoints (CostReview::*chosen)(std::size_t part) const);
  // `brief` stands on its button.
  void add_action(const QString& text, const QString& brief, const QKeySequence& keys,
                  std::function<void()> act);
  QWidget& header();
  QWidget& lists_side();
  QWidget& parts_list(QWidget& parent);
  QWidget& points_list(QWidget& parent);
  QWidget& picture_side();
  QString table_of_scenario() const;
  void follow_scenario();
  QString change_text() const;
  void show_loaded();
  void show_chosen_part();
  void show_header();
  void ask_open();
  void ask_save(bool then_use);
  int chosen_part() const;

  CostReview review_;
  CostPartsModel parts_;
  CostPointsModel points_;
  QSortFilterProxyModel sorted_;
  QTableView* parts_view_ = nullptr;
  QTableView* points_view_ = nullptr;
  FitView* view_ = nullptr;
  QLabel *file_ = nullptr, *change_ = nullptr, *source_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QList<QAction*> actions_;
  QString followed_;  // the scenario's table, as last read
  bool waits_for_table_ = true;
};

}  // namespace quintet::gui
