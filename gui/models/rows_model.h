<<<<<<< HEAD
// A table that is handed over whole: what stands behind a picture, or a list of differences.
=======
// A table of texts: what stands behind a picture.
>>>>>>> gui_compare
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

namespace quintet::gui {

struct TableRow {
  QStringList cells;
<<<<<<< HEAD
  int level = 0;        // how far its first cell is moved in
  bool strong = false;  // a sum, or what matters most
  bool operator==(const TableRow&) const = default;
};

struct Table {
  QStringList header;
  QStringList tips;  // of the header; may be shorter
  std::vector<TableRow> rows;
  int texts = 1;  // columns that are text, from the left; others are figures
=======
  int level = 0;        // deeper rows are parts of the one above
  bool strong = false;  // a sum
  QString tip = {};
};

struct TableRows {
  QStringList header;
  std::vector<TableRow> rows;
>>>>>>> gui_compare
};

class RowsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

<<<<<<< HEAD
  void show(Table table);
  const Table& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  Table table_;
=======
  void set_rows(TableRows rows);
  const TableRows& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  TableRows rows_;
>>>>>>> gui_compare
};

}  // namespace quintet::gui
