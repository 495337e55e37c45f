// Draws the rows of a tree of fields, and edits a value as its kind wants it: words and truths are
// chosen, whole numbers counted, all else typed and checked letter by letter.
#pragma once

#include <QStyledItemDelegate>

#include "gui/document/document.h"

namespace quintet::gui {

class FieldDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  FieldDelegate(const Document& document, QObject* parent);

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;

 signals:
  // What is typed would not be taken, and why; empty: it would.
  void doubted(const QString& why) const;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  QWidget& choice(QWidget* parent, const QStringList& words) const;
  QWidget& count(QWidget* parent, double least, double most) const;
  QWidget& line(QWidget* parent, const QModelIndex& index) const;

  const Document& document_;
};

}  // namespace quintet::gui
