// A tree of fields with those alone that somebody looks for, or that are not as the file says.
#pragma once

#include <QSortFilterProxyModel>

namespace quintet::gui {

class FieldFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit FieldFilter(QObject* parent = nullptr);

  void look_for(const QString& words);  // all of them, in path, meaning or what is accepted
  void show_changed_only(bool changed_only);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
  bool changed_only_ = false;
};

}  // namespace quintet::gui
