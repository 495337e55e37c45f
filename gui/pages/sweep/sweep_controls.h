// What a sweep is to vary: one or two fields with their values, each chosen from a list that can
// be searched, or typed.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>
#include <array>
#include <map>

#include "gui/scenario/sweep/field_offers.h"
#include "gui/scenario/sweep/sweep_wish.h"

namespace quintet::gui {

class SweepControls : public QWidget {
  Q_OBJECT
 public:
  explicit SweepControls(QWidget* parent);

  // Without the base. The error says which line is wrong.
  Result<std::vector<SweptField>> fields() const;
  void set_fields(const std::vector<SweptField>& fields);

  // "slow PART" is offered for each of them, first.
  void offer_parts(const QStringList& parts);
  void show_run(bool running, std::size_t done, std::size_t all);
  void show_state(const QString& text, bool wrong);

 signals:
  void run_wanted();
  void cancel_wanted();
  void wish_changed();

 private:
  struct FieldLine {
    QComboBox* name = nullptr;
    QLineEdit* values = nullptr;
    QLabel* meaning = nullptr;
  };
  FieldLine add_line(const QString& which);
  void show_meaning(const FieldLine& line);
  void fill(QComboBox& names) const;

  std::vector<FieldOffer> offers_;
  std::map<QString, const FieldOffer*> by_path_;
  QStringList parts_;
  std::array<FieldLine, 2> lines_;
  QPushButton* run_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QLabel* state_ = nullptr;
};

}  // namespace quintet::gui
