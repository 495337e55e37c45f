// Which files are predicted: chosen from the shipped ones, typed, or looked for.
#pragma once

#include <QComboBox>
#include <QSpinBox>
#include <QWidget>
#include <array>

#include "gui/document/document.h"
#include "gui/scenario/input_files.h"

namespace quintet::gui {

class InputRow : public QWidget {
  Q_OBJECT
 public:
  InputRow(Document& document, QWidget* parent);

  // As if it had been typed: an edit, or a complaint.
  void choose(InputKind kind, const QString& given);
  QComboBox& box(InputKind kind) { return *boxes_[static_cast<std::size_t>(kind)]; }
  QSpinBox& hosts() { return *hosts_; }

 private:
  void add_box(InputKind kind);
  void add_hosts();
  void browse(InputKind kind);
  void show_scenario();

  Document& document_;
  std::array<QComboBox*, 5> boxes_{};
  QSpinBox* hosts_ = nullptr;
};

}  // namespace quintet::gui
