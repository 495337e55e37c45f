// A picture with the table behind it: one or the other is shown.
#pragma once

#include <QAbstractItemModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QWidget>
#include <functional>

namespace quintet::gui {

using Paint = std::function<void(QPainter&, const QSizeF&)>;

class PictureBox : public QWidget {
  Q_OBJECT
 public:
  // `name` for who does not see it. The table outlives the box.
  PictureBox(const QString& name, Paint paint, QAbstractItemModel& table, QWidget* parent);

  void show_table(bool table);
  bool shows_table() const { return stack_->currentIndex() == 1; }
  // What the picture says, in words.
  void set_words(const QString& words);
  QTableView& table() { return *table_; }
  QToolButton& toggle() { return *toggle_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QStackedWidget* stack_ = nullptr;
  QTableView* table_ = nullptr;
  QToolButton* toggle_ = nullptr;
};

// A table that is read, with rows of text's height.
QTableView& plain_table(QAbstractItemModel& model, const QString& name, QWidget* parent);

}  // namespace quintet::gui
