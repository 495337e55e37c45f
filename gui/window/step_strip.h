// What stands above every page: how long a step takes, against the prediction before, and what that
// means; how far a prediction that runs is.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>
#include <vector>

#include "gui/document/document.h"

namespace quintet::gui {

class StepStrip : public QWidget {
  Q_OBJECT
 public:
  StepStrip(Document& document, QWidget* parent);

 private:
  QLabel& add_figure(const QString& name, const QString& tip);
  void show_outcome();
  void show_work();

  Document& document_;
  QLabel* step_;
  QLabel* change_;
  QLabel* mfu_;
  QLabel* memory_;
  QLabel* money_;
  QLabel* state_;
  QProgressBar* progress_;
  QPushButton* predict_;
  QPushButton* cancel_;
};

}  // namespace quintet::gui
