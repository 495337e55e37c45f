// Beside the picture: what the chosen part is, what it carries and for whom, and what may be made
// worse of it.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QWidget>

#include "gui/topology/machine_view.h"

namespace quintet::gui {

// A line of what there is to say: "Rate", "50 GB/s".
struct Fact {
  QString name, value, meaning;
};

class PartPanel : public QWidget {
  Q_OBJECT
 public:
  explicit PartPanel(QWidget* parent);

  // `part`: as --fail names it; empty: nothing that can break is chosen.
  void show(const QString& part, const QString& title, const std::vector<Fact>& facts,
            const Breakable& may, const PartFault& fault);

 signals:
  // Of the part shown. `merge`: edits of one drag have the same number.
  void fault_asked(const quintet::gui::PartFault& fault, const QString& what, int merge);

 private:
  void add_controls();
  void show_facts(const std::vector<Fact>& facts);
  void slow_to(int percent);
  void delay_by_text();
  void ask(PartFault fault, const QString& what, int merge = -1);

  QLabel* title_ = nullptr;
  QLabel* facts_ = nullptr;
  QLabel* message_ = nullptr;
  QWidget* controls_ = nullptr;
  QSlider* slider_ = nullptr;
  QSpinBox* percent_ = nullptr;
  QLineEdit* delay_ = nullptr;
  QPushButton* fail_ = nullptr;
  QPushButton* restore_ = nullptr;
  QString part_;
  PartFault fault_;
  bool showing_ = false;
  int drag_ = 1000;
};

}  // namespace quintet::gui
