// The links of a machine as a table: the figures behind its picture. Busiest first.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "gui/topology/link_states.h"

namespace quintet::gui {

class LinkTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { tier, name, bytes, utilisation, rate, latency, fault, columns };

  explicit LinkTable(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  // The machine as built, and what its links do; both outlive the model's next show().
  void show(const Topology* built, const std::vector<LinkState>* states);

  LinkId link(int row) const { return order_[static_cast<std::size_t>(row)]; }
  int row_of(LinkId link) const;  // -1: not there

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  // Qt::UserRole has numbers to sort by, in base units.
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant shown(LinkId link, int column) const;
  QVariant number(LinkId link, int column) const;

  const Topology* built_ = nullptr;
  const std::vector<LinkState>* states_ = nullptr;
  std::vector<LinkId> order_;
};

// "NIC to leaf", "tier 1 to tier 2", "NVLink", "PCIe", "socket".
QString tier_text(const Topology& topology, LinkId link);

}  // namespace quintet::gui
