// What ran when, on which rank, and what the step waited for.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <memory>

#include "gui/models/timeline_tables.h"
#include "gui/pages/page.h"
#include "gui/pages/timeline/pipeline_view.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/work/worker.h"

namespace quintet::gui {

class TimelinePage : public Page {
  Q_OBJECT
 public:
  TimelinePage(Document& document, QWidget* parent);

  QString name() const override { return "timeline"; }
  QString title() const override { return "Timeline"; }
  QString question() const override { return "What ran when, and what did the step wait for?"; }
  std::vector<Exported> exports() override;
  QList<QAction*> own_actions() override;
  bool busy() const override { return maker_.busy(); }

  TimelineWidget& timeline() { return *timeline_; }
  const TimelineTables& tables() const { return tables_; }

 private:
  void add_bar();
  void add_reading_strip();
  void add_details();
  QTableView& table_of(ListedModel& model, const QString& name);
  void follow_document();
  void follow_timeline();
  void make_scene_anew();
  void show_scene(std::unique_ptr<const Scene> scene);
  void show_range();
  void search();
  void go_to_match(int by);
  void go_to_piece(int row);
  void go_to_share(int row);
  void show_theme();
  void show_table(bool table);
  std::vector<NamedGrid> grids() const;

  // Before what shows them: tables are asked until the very end.
  TimelineTables tables_;
  FoundBars found_;
  Worker maker_;
  QTimer search_later_;
  QLineEdit* filter_ = nullptr;
  QLineEdit* search_ = nullptr;
  QLabel* search_state_ = nullptr;
  QWidget* reading_ = nullptr;
  QLabel* reading_what_ = nullptr;
  QProgressBar* reading_progress_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  TimelineWidget* timeline_ = nullptr;
  QTabWidget* details_ = nullptr;
  QTableView* matches_view_ = nullptr;
  PipelineView* pipeline_ = nullptr;
  QAction* as_table_ = nullptr;
  int match_ = -1;
};

}  // namespace quintet::gui
