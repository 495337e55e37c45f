#include "gui/models/cost_parts_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace quintet::gui {

namespace {

struct Heading {
  const char *name, *tip;
};

constexpr std::array<Heading, CostPartsModel::column_count> headings{
    {{"part", "A family of operators, a collective, messages, or a formula of kernels"},
     {"held out", "Median of |measured / fit - 1| over points that the fit has not seen"},
     {"5 to 95 %", "Nine of ten such errors, measured / fit - 1, lie in between"},
     {"points", "Measured points that the table holds"},
     {"left out", "Of them, those that do not count"},
     {"recorded", "5 to 95 % as the table says it, from when it was measured"},
     {"rests on", "Measured here, published of this card, borrowed of another, or guessed"},
     {"kind", "What it prices"}}};

QString words(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<int>(text.size()));
}

std::size_t left_out_of(const PartFit& fit) {
  return static_cast<std::size_t>(std::count_if(
      fit.points.begin(), fit.points.end(), [](const FitPoint& point) { return point.excluded; }));
}

QString text_in(const PartFit& fit, CostPartsModel::Column column) {
  switch (column) {
    case CostPartsModel::part:
      return QString::fromStdString(fit.part.name);
    case CostPartsModel::kind:
      return words(name_of(fit.part.kind));
    case CostPartsModel::points:
      return fit.part.points == 0 ? QString("-") : QString::number(fit.part.points);
    case CostPartsModel::left_out:
      return left_out_of(fit) == 0 ? QString() : QString::number(left_out_of(fit));
    case CostPartsModel::median:
      return fit.held_out.samples == 0
                 ? QString("-")
                 : QString::fromStdString(fmt::format("{:.1f} %", 100 * fit.held_out_median));
    case CostPartsModel::range:
      return range_text(fit.held_out);
    case CostPartsModel::recorded:
      return range_text(fit.part.recorded);
    case CostPartsModel::evidence:
      return words(name_of(fit.part.evidence));
    case CostPartsModel::column_count:
      return {};
  }
  return {};
}

// What sorting goes by: numbers as numbers.
QVariant sort_key(const PartFit& fit, CostPartsModel::Column column) {
  if (column == CostPartsModel::points) return static_cast<qulonglong>(fit.part.points);
  if (column == CostPartsModel::left_out) return static_cast<qulonglong>(left_out_of(fit));
  if (column == CostPartsModel::median)
    return fit.held_out.samples == 0 ? -1.0 : fit.held_out_median;
  if (column == CostPartsModel::range)
    return fit.held_out.samples == 0 ? -1.0 : fit.held_out.p95 - fit.held_out.p05;
  if (column == CostPartsModel::recorded)
    return fit.part.recorded.samples == 0 ? -1.0 : fit.part.recorded.p95 - fit.part.recorded.p05;
  return text_in(fit, column);
}

bool is_number(CostPartsModel::Column column) {
  return column >= CostPartsModel::median && column <= CostPartsModel::recorded;
}

}  // namespace

QString range_text(const Residuals& residuals) {
  if (residuals.samples == 0) return "-";
  return QString::fromStdString(
      fmt::format("{:+.1f} to {:+.1f} %", 100 * residuals.p05, 100 * residuals.p95));
}

CostPartsModel::CostPartsModel(CostReview& review, QObject* parent)
    : QAbstractTableModel(parent), review_(review) {
  connect(&review_, &CostReview::loaded, this, [this] {
    beginResetModel();
    endResetModel();
  });
  connect(&review_, &CostReview::fitted, this, [this](std::size_t row) {
    const int number = static_cast<int>(row);
    emit dataChanged(index(number, 0), index(number, column_count - 1));
  });
}

int CostPartsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(review_.fits().size());
}

int CostPartsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant CostPartsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const PartFit& fit = review_.fits()[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<Column>(index.column());
  if (role == Qt::DisplayRole) return text_in(fit, column);
  if (role == Qt::ToolTipRole && column == part) return QString::fromStdString(fit.part.source);
  if (role == Qt::UserRole) return sort_key(fit, column);
  if (role == Qt::TextAlignmentRole && is_number(column))
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant CostPartsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const Heading& heading = headings[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return QString(heading.name);
  if (role == Qt::ToolTipRole) return QString(heading.tip);
  return {};
}

}  // namespace quintet::gui
