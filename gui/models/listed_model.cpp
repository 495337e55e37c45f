#include "gui/models/listed_model.h"

#include <utility>

namespace quintet::gui {

void ListedModel::show(int rows, Text text) {
  beginResetModel();
  rows_ = rows;
  text_ = std::move(text);
  endResetModel();
}

QVariant ListedModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rows_) return {};
  const ListedColumn& column = columns_[static_cast<std::size_t>(index.column())];
  if (role == Qt::DisplayRole) return text_(index.row(), index.column());
  if (role == Qt::ToolTipRole && !column.meaning.isEmpty()) return column.meaning;
  if (role == Qt::TextAlignmentRole && column.number)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant ListedModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical)
    return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  if (section < 0 || section >= static_cast<int>(columns_.size())) return {};
  const ListedColumn& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.name;
  if (role == Qt::ToolTipRole) return column.meaning;
  return {};
}

}  // namespace quintet::gui
