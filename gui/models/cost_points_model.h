// The measured points of one part of a cost table under review: a row each, with a box that says
// whether it counts.
#pragma once

#include <QAbstractTableModel>

#include "gui/models/cost_review.h"

namespace quintet::gui {

class CostPointsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    shape,
    amount,
    measured,
    fitted,
    residual,
    held_out,
    samples,
    remark,
    column_count
  };

  // The review outlives the model.
  CostPointsModel(CostReview& review, QObject* parent);

  // A row of CostReview::fits(); -1: none.
  void show_part(int part);
  int part() const { return part_; }
  const PartFit* fit() const;  // null: none is shown

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  // Whether the point of this row counts.
  void set_counts(int row, bool counts);
  bool counts(int row) const;

 private:
  CostReview& review_;
  int part_ = -1;
};

// "25.1 GFLOP", "64 KiB"; "-" of nothing.
QString amount_text(double amount, AmountUnit unit);

}  // namespace quintet::gui
