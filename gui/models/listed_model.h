// A table of which each text is made when it is asked for, so that a million rows cost nothing
// until they are looked at.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <functional>
#include <vector>

namespace quintet::gui {

struct ListedColumn {
  QString name;
  QString meaning;  // what it is and how it is counted: a tool tip
  bool number = false;
};

class ListedModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using Text = std::function<QString(int row, int column)>;

  explicit ListedModel(std::vector<ListedColumn> columns, QObject* parent = nullptr)
      : QAbstractTableModel(parent), columns_(std::move(columns)) {}

  // `text` must stay callable until the next call.
  void show(int rows, Text text);
  void clear() { show(0, {}); }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : rows_;
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ListedColumn> columns_;
  int rows_ = 0;
  Text text_;
};

}  // namespace quintet::gui
