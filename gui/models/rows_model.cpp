#include "gui/models/rows_model.h"

#include <QFont>
<<<<<<< HEAD

namespace quintet::gui {

// Views keep the widths of columns that stay.
void RowsModel::show(Table table) {
  if (table.header != table_.header) {
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
    return;
  }
  if (!table_.rows.empty()) {
    beginRemoveRows({}, 0, rowCount() - 1);
    table_.rows.clear();
    endRemoveRows();
  }
  if (table.rows.empty()) return;
  beginInsertRows({}, 0, static_cast<int>(table.rows.size()) - 1);
  table_ = std::move(table);
  endInsertRows();
}

int RowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int RowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.header.size());
=======
#include <utility>

namespace quintet::gui {

void RowsModel::set_rows(TableRows rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int RowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.rows.size());
}

int RowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.header.size());
>>>>>>> gui_compare
}

QVariant RowsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
<<<<<<< HEAD
  const TableRow& row = table_.rows[static_cast<std::size_t>(index.row())];
  const QString cell = row.cells.value(index.column());
  const bool is_text = index.column() < table_.texts;
  switch (role) {
    case Qt::DisplayRole:
      return index.column() == 0 ? QString(2 * row.level, ' ') + cell : cell;
    case Qt::ToolTipRole:
      return is_text ? QVariant(cell) : QVariant();
    case Qt::TextAlignmentRole:
      return static_cast<int>((is_text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
=======
  const TableRow& row = rows_.rows[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return QString(index.column() == 0 ? row.level * 2 : 0, ' ') + row.cells.value(index.column());
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(
          Qt::Alignment(index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
>>>>>>> gui_compare
    case Qt::FontRole: {
      QFont font;
      font.setBold(row.strong);
      return font;
    }
<<<<<<< HEAD
=======
    case Qt::ToolTipRole:
      return row.tip.isEmpty() ? row.cells.value(index.column()) : row.tip;
>>>>>>> gui_compare
    default:
      return {};
  }
}

QVariant RowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
<<<<<<< HEAD
  if (role == Qt::DisplayRole) return table_.header.value(section);
  if (role == Qt::ToolTipRole) return table_.tips.value(section);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section < table_.texts ? Qt::AlignLeft : Qt::AlignRight) |
                            Qt::AlignVCenter);
=======
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return rows_.header.value(section);
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::Alignment(section == 0 ? Qt::AlignLeft : Qt::AlignRight) |
                               Qt::AlignVCenter);
>>>>>>> gui_compare
  return {};
}

}  // namespace quintet::gui
