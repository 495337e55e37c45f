#include "gui/models/cost_points_model.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sim/base/quantity_text.h"

namespace quintet::gui {

namespace {

struct Heading {
  const char *name, *tip;
};

constexpr std::array<Heading, CostPointsModel::column_count> headings{
    {{"point", "Checked: it counts in the fit"},
     {"amount", "Operations of products and attention, bytes of all else"},
     {"measured", "Median of its samples"},
     {"fit", "By the curve through the points that count"},
     {"off", "measured / fit - 1: how far the point lies from the curve"},
     {"held out", "The same by a curve that has not seen the point"},
     {"samples", "Of which the measured time is the median"},
     {"remark", "Left out, measured exactly, or contradicted by the others"}}};

QString percent(std::optional<double> share) {
  if (!share) return "-";
  const double rounded = std::round(1000 * *share) / 10;
  // No "+0.0" of what a curve goes through.
  const std::string text = rounded == 0 ? "0.0 %" : fmt::format("{:+.1f} %", rounded);
  return QString::fromStdString(text);
}

QString time_text(Seconds time) {
  const std::array<std::pair<double, const char*>, 4> units{
      {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  for (const auto& [unit, name] : units)
    if (time.value >= unit || unit == 1e-9)
      return QString::fromStdString(fmt::format("{:.4g} {}", time.value / unit, name));
  return {};
}

QString remark_of(const FitPoint& point) {
  if (point.excluded) return "left out";
  if (point.place.list == PointList::exact_operator) return "measured exactly: before the curve";
  if (point.contradicted) return "contradicted by the others";
  return {};
}

QString text_in(const PartFit& fit, const FitPoint& point, CostPointsModel::Column column) {
  switch (column) {
    case CostPointsModel::shape:
      return QString::fromStdString(point.shape);
    case CostPointsModel::amount:
      return amount_text(point.amount, fit.unit);
    case CostPointsModel::measured:
      return time_text(point.measured);
    case CostPointsModel::fitted:
      return point.fitted ? time_text(*point.fitted) : QString("-");
    case CostPointsModel::residual:
      return percent(point.fitted ? std::optional(point.measured / *point.fitted - 1)
                                  : std::nullopt);
    case CostPointsModel::held_out:
      return percent(point.held_out);
    case CostPointsModel::samples:
      return point.samples == 0 ? QString("-") : QString::number(point.samples);
    case CostPointsModel::remark:
      return remark_of(point);
    case CostPointsModel::column_count:
      return {};
  }
  return {};
}

}  // namespace

QString amount_text(double amount, AmountUnit unit) {
  if (amount <= 0) return "-";
  if (unit == AmountUnit::bytes) return QString::fromStdString(text(Bytes{amount}));
  const std::array<std::pair<double, const char*>, 5> units{
      {{1e15, "PFLOP"}, {1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}, {1e3, "kFLOP"}}};
  for (const auto& [size, name] : units)
    if (amount >= size)
      return QString::fromStdString(fmt::format("{:.4g} {}", amount / size, name));
  return QString::fromStdString(fmt::format("{:.4g} FLOP", amount));
}

CostPointsModel::CostPointsModel(CostReview& review, QObject* parent)
    : QAbstractTableModel(parent), review_(review) {
  connect(&review_, &CostReview::loaded, this, [this] { show_part(-1); });
  const auto refresh = [this] {
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  };
  connect(&review_, &CostReview::points_chosen, this, refresh);
  connect(&review_, &CostReview::fitted, this, refresh);
}

void CostPointsModel::show_part(int part) {
  beginResetModel();
  part_ = part;
  endResetModel();
}

const PartFit* CostPointsModel::fit() const {
  const auto number = static_cast<std::size_t>(part_);
  return part_ < 0 || number >= review_.fits().size() ? nullptr : &review_.fits()[number];
}

int CostPointsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || fit() == nullptr ? 0 : static_cast<int>(fit()->points.size());
}

int CostPointsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant CostPointsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || fit() == nullptr) return {};
  const FitPoint& point = fit()->points[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<Column>(index.column());
  if (role == Qt::DisplayRole) return text_in(*fit(), point, column);
  if (role == Qt::CheckStateRole && column == shape)
    return counts(index.row()) ? Qt::Checked : Qt::Unchecked;
  if (role == Qt::TextAlignmentRole && column != shape && column != remark)
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

bool CostPointsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole || index.column() != shape) return false;
  set_counts(index.row(), value.toInt() == Qt::Checked);
  return true;
}

Qt::ItemFlags CostPointsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.column() == shape ? flags | Qt::ItemIsUserCheckable : flags;
}

bool CostPointsModel::counts(int row) const {
  return !review_.excluded().contains(fit()->points[static_cast<std::size_t>(row)].place);
}

void CostPointsModel::set_counts(int row, bool counts) {
  const FitPoint& point = fit()->points[static_cast<std::size_t>(row)];
  ExcludedPoints next = review_.excluded();
  if (counts)
    next.erase(point.place);
  else
    next.insert(point.place);
  const QString shape_text = QString::fromStdString(point.shape);
  review_.choose((counts ? "Accept " : "Leave out ") + shape_text, next);
}

QVariant CostPointsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const Heading& heading = headings[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return QString(heading.name);
  if (role == Qt::ToolTipRole) return QString(heading.tip);
  return {};
}

}  // namespace quintet::gui
