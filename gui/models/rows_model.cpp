#include "gui/models/rows_model.h"

#include <QFont>
#include <utility>

namespace quintet::gui {

// Views keep the widths of columns that stay.
void RowsModel::set_rows(TableRows rows) {
  if (rows.header != rows_.header) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
    return;
  }
  if (!rows_.rows.empty()) {
    beginRemoveRows({}, 0, rowCount() - 1);
    rows_.rows.clear();
    endRemoveRows();
  }
  if (rows.rows.empty()) return;
  beginInsertRows({}, 0, static_cast<int>(rows.rows.size()) - 1);
  rows_ = std::move(rows);
  endInsertRows();
}

int RowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.rows.size());
}

int RowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.header.size());
}

QVariant RowsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TableRow& row = rows_.rows[static_cast<std::size_t>(index.row())];
  const QString cell = row.cells.value(index.column());
  const bool is_text = index.column() < rows_.texts;
  switch (role) {
    case Qt::DisplayRole:
      return index.column() == 0 ? QString(2 * row.level, ' ') + cell : cell;
    case Qt::ToolTipRole:
      if (!row.tip.isEmpty()) return row.tip;
      return is_text ? QVariant(cell) : QVariant();
    case Qt::TextAlignmentRole:
      return static_cast<int>((is_text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::FontRole: {
      if (!row.strong) return {};
      QFont font;
      font.setBold(true);
      return font;
    }
    default:
      return {};
  }
}

QVariant RowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) return rows_.header.value(section);
  if (role == Qt::ToolTipRole) return rows_.tips.value(section);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section < rows_.texts ? Qt::AlignLeft : Qt::AlignRight) |
                            Qt::AlignVCenter);
  return {};
}

}  // namespace quintet::gui
