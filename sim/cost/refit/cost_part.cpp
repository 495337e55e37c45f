#include "sim/cost/refit/cost_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/quantity_text.h"
#include "sim/cost/memory_time.h"
#include "sim/cost/operator_family.h"

namespace quintet {

namespace {

CostPart& part_of(std::vector<CostPart>& parts, std::vector<OperatorFamily>& families,
                  const PricedOperator& work, const CostTable& table) {
  const OperatorFamily family = family_of(work);
  const auto found = std::find(families.begin(), families.end(), family);
  if (found != families.end()) return parts[static_cast<std::size_t>(found - families.begin())];
  families.push_back(family);
  parts.push_back({PartKind::operators,
                   family_text(family),
                   table.source,
                   Evidence::measured,
                   {},
                   std::nullopt,
                   {},
                   0});
  return parts.back();
}

// Families of one name differ in what their bytes are made of, or how they mask: told apart by
// number.
void number_names(std::vector<CostPart>& parts) {
  std::vector<std::string> names;
  for (const CostPart& part : parts) names.push_back(part.name);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) < 2) continue;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    parts[i].name += fmt::format(" ({})", std::count(names.begin(), end, names[i]));
  }
}

std::vector<CostPart> operator_parts(const CostTable& table) {
  std::vector<CostPart> parts;
  std::vector<OperatorFamily> families;
  for (std::size_t i = 0; i < table.curves.size(); ++i) {
    const OperatorCurve& curve = table.curves[i];
    CostPart& part = part_of(parts, families, curve.points.front().work, table);
    part.entry = i;
    part.recorded = curve.residuals;
    part.points += curve.points.size();
  }
  for (std::size_t i = 0; i < table.operators.size(); ++i) {
    CostPart& part = part_of(parts, families, table.operators[i].work, table);
    part.exact.push_back(i);
    ++part.points;
  }
  number_names(parts);
  return parts;
}

std::string network_text(const std::optional<CurveNetwork>& network) {
  return network ? fmt::format(" over {}", text(network->rate)) : std::string();
}

std::string collective_name(const CollectiveCurve& curve) {
  std::string name =
      fmt::format("{}, {} ranks on {} {}{}", name_of(curve.kind), curve.ranks, curve.hosts,
                  curve.hosts == 1 ? "host" : "hosts", network_text(curve.network));
  if (curve.algorithm) name += fmt::format(", {}", name_of(*curve.algorithm));
  if (curve.protocol) name += fmt::format(", {}", name_of(*curve.protocol));
  return name;
}

std::string message_name(const MessageCurve& curve) {
  return curve.network ? "messages between hosts" + network_text(curve.network)
                       : std::string("messages inside a host");
}

template <class Costs>
void add_formulas(std::vector<CostPart>& parts, PartKind kind, const std::vector<Costs>& all,
                  std::string (*name)(const Costs&)) {
  for (std::size_t i = 0; i < all.size(); ++i)
    parts.push_back(
        {kind, name(all[i]), all[i].source, all[i].evidence.forward, all[i].residuals, i, {}, 0});
}

}  // namespace

std::string_view name_of(PartKind kind) {
  switch (kind) {
    case PartKind::operators:
      return "operator";
    case PartKind::collective:
      return "collective";
    case PartKind::message:
      return "message";
    case PartKind::gemm:
    case PartKind::attention:
    case PartKind::memory:
      return "formula";
  }
  return {};
}

std::vector<CostPart> cost_parts(const CostTable& table) {
  std::vector<CostPart> parts = operator_parts(table);
  const CommunicationCosts& communication = table.communication;
  for (std::size_t i = 0; i < communication.curves.size(); ++i) {
    const CollectiveCurve& curve = communication.curves[i];
    parts.push_back({PartKind::collective,
                     collective_name(curve),
                     curve.source,
                     curve.evidence,
                     curve.residuals,
                     i,
                     {},
                     curve.points.size()});
  }
  for (std::size_t i = 0; i < communication.messages.size(); ++i) {
    const MessageCurve& curve = communication.messages[i];
    parts.push_back({PartKind::message,
                     message_name(curve),
                     curve.source,
                     curve.evidence,
                     curve.residuals,
                     i,
                     {},
                     curve.points.size()});
  }
  add_formulas<GemmCosts>(parts, PartKind::gemm, table.gemm, [](const GemmCosts& costs) {
    return fmt::format("GEMM {}", name_of(costs.type));
  });
  add_formulas<AttentionCosts>(
      parts, PartKind::attention, table.attention, [](const AttentionCosts& costs) {
        return fmt::format("{} attention {}", costs.kernel, name_of(costs.type));
      });
  add_formulas<MemoryCosts>(parts, PartKind::memory, table.memory, [](const MemoryCosts& costs) {
    return std::string(name_of(costs.operation));
  });
  return parts;
}

}  // namespace quintet
