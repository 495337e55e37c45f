// The machine's own figures: hosts, NICs, radix, oversubscription and the like, checked while they
// are typed.
#pragma once

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "gui/document/document.h"
#include "gui/topology/fabric_fields.h"

namespace quintet::gui {

class FabricPanel : public QWidget {
  Q_OBJECT
 public:
  FabricPanel(Document& document, QWidget* parent);

  // Of the machine that the scenario names now; what is being typed stays.
  void show(const std::vector<FabricField>& fields);
  void show_wrong(const QString& text);
  // Whether the plan fits on the machine, once that is known.
  void say_fit();
  Worker& worker() { return worker_; }

  // Undoable; less than one host is not asked for.
  void add_hosts(int more);

 private:
  struct Row {
    FabricField field;
    QLineEdit* edit = nullptr;
  };
  void rebuild(const std::vector<FabricField>& fields);
  QLineEdit& add_row(const FabricField& field);
  void check(std::size_t row);
  void commit(std::size_t row);
  void say(const QString& text, bool wrong);

  Document& document_;
  Worker worker_;
  QFormLayout* form_ = nullptr;
  QLabel* message_ = nullptr;
  std::vector<Row> rows_;
  QTimer typing_;
  std::size_t typed_ = 0;
};

}  // namespace quintet::gui
