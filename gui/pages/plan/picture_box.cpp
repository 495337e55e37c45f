#include "gui/pages/plan/picture_box.h"

#include <QHeaderView>
#include <QPaintEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

class Picture : public QWidget {
 public:
  Picture(Paint paint, QWidget* parent) : QWidget(parent), paint_(std::move(paint)) {
    setMinimumHeight(96);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_(painter, QSizeF(size()));
  }

 private:
  Paint paint_;
};

}  // namespace

QTableView& plain_table(QAbstractItemModel& model, const QString& name, QWidget* parent) {
  auto& table = owned<QTableView>(parent);
  table.setModel(&model);
  table.setAccessibleName(name);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setEditTriggers(QAbstractItemView::NoEditTriggers);
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setTabKeyNavigation(false);
  table.setWordWrap(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().lineSpacing() + 5);
  table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  QHeaderView& header = *table.horizontalHeader();
  header.setHighlightSections(false);
  // Columns follow what comes into them: saying a mode again measures anew.
  QObject::connect(&model, &QAbstractItemModel::rowsInserted, &table, [&header] {
    if (header.count() > 1) header.setSectionResizeMode(1, header.sectionResizeMode(1));
  });
  return table;
}

PictureBox::PictureBox(const QString& name, Paint paint, QAbstractItemModel& table, QWidget* parent)
    : QWidget(parent) {
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(0, 0, 0, 0);
  stack_ = &owned<QStackedWidget>(this);
  auto& picture = owned<Picture>(std::move(paint), stack_);
  picture.setAccessibleName(name);
  table_ = &plain_table(table, name + ", as a table", stack_);
  stack_->addWidget(&picture);
  stack_->addWidget(table_);
  column.addWidget(stack_);
  toggle_ = &owned<QToolButton>(this);
  toggle_->setCheckable(true);
  toggle_->setText("Table");
  toggle_->setToolTip("The figures behind the picture");
  toggle_->setAccessibleName(name + ": table in the place of the picture");
  connect(toggle_, &QToolButton::toggled, this, &PictureBox::show_table);
}

void PictureBox::show_table(bool table) {
  stack_->setCurrentIndex(table ? 1 : 0);
  toggle_->setChecked(table);
  toggle_->setText(table ? "Picture" : "Table");
  toggle_->adjustSize();
  resizeEvent(nullptr);
}

void PictureBox::set_words(const QString& words) {
  stack_->widget(0)->setAccessibleDescription(words);
  stack_->widget(0)->setToolTip(words);
  stack_->widget(0)->update();
}

void PictureBox::resizeEvent(QResizeEvent*) {
  const QSize wanted = toggle_->sizeHint();
  toggle_->setGeometry(width() - wanted.width() - 2, 2, wanted.width(), wanted.height());
  toggle_->raise();
}

}  // namespace quintet::gui
