#include "gui/models/field_filter.h"

#include <algorithm>

#include "gui/models/field_tree_model.h"

namespace quintet::gui {

FieldFilter::FieldFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setRecursiveFilteringEnabled(true);
}

void FieldFilter::look_for(const QString& words) {
  words_ = words.split(' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

void FieldFilter::show_changed_only(bool changed_only) {
  changed_only_ = changed_only;
  invalidateFilter();
}

bool FieldFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  if (changed_only_ &&
      (sourceModel()->hasChildren(index) || !index.data(FieldTreeModel::changed_role).toBool()))
    return false;
  const QString text = index.data(FieldTreeModel::search_role).toString();
  return std::all_of(words_.begin(), words_.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace quintet::gui
