// A table of texts: what stands behind a picture.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

namespace quintet::gui {

struct TableRow {
  QStringList cells;
  int level = 0;        // deeper rows are parts of the one above
  bool strong = false;  // a sum
  QString tip = {};
};

struct TableRows {
  QStringList header;
  std::vector<TableRow> rows;
};

class RowsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void set_rows(TableRows rows);
  const TableRows& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  TableRows rows_;
};

}  // namespace quintet::gui
