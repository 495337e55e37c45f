// A table that is handed over whole: what stands behind a picture, or a list of differences.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

namespace quintet::gui {

struct TableRow {
  QStringList cells;
  int level = 0;        // how far its first cell is moved in: parts of the row above
  bool strong = false;  // a sum, or what matters most
  QString tip = {};
  bool operator==(const TableRow&) const = default;
};

struct TableRows {
  QStringList header;
  std::vector<TableRow> rows;
  QStringList tips = {};  // of the header; may be shorter
  int texts = 1;          // columns that are text, from the left; others are figures
};

class RowsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void set_rows(TableRows rows);
  const TableRows& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  TableRows rows_;
};

}  // namespace quintet::gui
