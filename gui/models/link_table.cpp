#include "gui/models/link_table.h"

#include <algorithm>
#include <numeric>

#include "sim/topology/describe/readable.h"

namespace quintet::gui {

namespace {

QString end_text(const Device& device) {
  if (device.kind == DeviceKind::network_switch) return QString("tier %1").arg(device.tier);
  return device.kind == DeviceKind::nic ? "NIC" : QString::fromUtf8(name_of(device.kind).data());
}

QString readable_text(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

QString tier_text(const Topology& topology, LinkId id) {
  const Link& link = topology.link(id);
  switch (link.kind) {
    case LinkKind::nvlink:
      return "NVLink";
    case LinkKind::pcie:
      return "PCIe";
    case LinkKind::socket:
      return "socket";
    case LinkKind::network:
      return end_text(topology.device(link.from)) + " to " + end_text(topology.device(link.to));
  }
  return "";
}

void LinkTable::show(const Topology* built, const std::vector<LinkState>* states) {
  beginResetModel();
  built_ = built;
  states_ = states;
  order_.clear();
  if (built != nullptr && states->size() == built->links.size()) {
    for (std::size_t link = 0; link < states->size(); ++link) order_.push_back(id_at<LinkId>(link));
    std::stable_sort(order_.begin(), order_.end(), [&](LinkId one, LinkId other) {
      return (*states)[one.index()].utilisation > (*states)[other.index()].utilisation;
    });
  }
  endResetModel();
}

int LinkTable::row_of(LinkId link) const {
  const auto found = std::find(order_.begin(), order_.end(), link);
  return found == order_.end() ? -1 : static_cast<int>(found - order_.begin());
}

int LinkTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int LinkTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant LinkTable::shown(LinkId id, int column) const {
  const Link& link = built_->link(id);
  const LinkState& state = (*states_)[id.index()];
  switch (static_cast<Column>(column)) {
    case tier:
      return tier_text(*built_, id);
    case name:
      return QString::fromStdString(built_->device(link.from).name + " -> " +
                                    built_->device(link.to).name);
    case bytes:
      return readable_text(readable(Bytes{state.bytes}));
    case utilisation:
      return QString("%1 %").arg(state.utilisation * 100, 0, 'f', 2);
    case rate:
      return readable_text(readable(state.rate));
    case latency:
      return readable_text(readable(state.latency));
    case fault:
      return QString::fromUtf8(name_of(state.trouble).data());
    case columns:
      break;
  }
  return {};
}

QVariant LinkTable::number(LinkId id, int column) const {
  const LinkState& state = (*states_)[id.index()];
  switch (column) {
    case bytes:
      return state.bytes;
    case utilisation:
      return state.utilisation;
    case rate:
      return state.rate.value;
    case latency:
      return state.latency.value;
    default:
      return shown(id, column);
  }
}

QVariant LinkTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const LinkId id = link(index.row());
  if (role == Qt::DisplayRole) return shown(id, index.column());
  if (role == Qt::UserRole) return number(id, index.column());
  const bool is_number = index.column() >= bytes && index.column() <= latency;
  if (role == Qt::TextAlignmentRole && is_number) return int(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant LinkTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return {};
  static const char* const titles[] = {"Tier", "Link",    "Carried", "Utilisation",
                                       "Rate", "Latency", "Fault"};
  static const char* const meanings[] = {
      "What it joins",
      "One direction of a cable",
      "Payload that it carried in the part of the step that is shown",
      "Carried / (rate that is left x time shown)",
      "Of the wire, with what slows it",
      "One way, with what delays it",
      "What was made worse of it"};
  if (section < 0 || section >= columns) return {};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return meanings[section];
  return {};
}

}  // namespace quintet::gui
