// The parts of a cost table under review: a row each.
#pragma once

#include <QAbstractTableModel>

#include "gui/models/cost_review.h"

namespace quintet::gui {

class CostPartsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { part, median, range, points, left_out, recorded, evidence, kind, column_count };

  // The review outlives the model.
  CostPartsModel(CostReview& review, QObject* parent);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  CostReview& review_;
};

// "-4.1 to +5.0 %"; "-" of no samples.
QString range_text(const Residuals& residuals);

}  // namespace quintet::gui
