#include "sim/cost/overlap_time.h"

#include <algorithm>

namespace quintet {

namespace {

const OverlapRow* row_of(ComputeClass compute, CommunicationClass moving, const CostTable& table) {
  if (table.processors) return nullptr;  // there rows only tell what sharing cores does
  const auto& rows = table.overlap.rows;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const OverlapRow& each) {
    return each.compute == compute && each.communication == moving;
  });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

ComputeClass class_of(const PricedOperator& work) {
  return std::visit(Match{[](const GemmShape&) { return ComputeClass::product; },
                          [](const AttentionShape&) { return ComputeClass::product; },
                          [](const MemoryShape&) { return ComputeClass::memory; },
                          [](const ProfiledShape&) { return ComputeClass::product; }},
                    work.shape);
}

double kernel_slowdown(const KernelUse& use, ComputeClass work, const CommunicationBeside& beside,
                       const CostTable& table) {
  const OverlapRow* const reducing =
      beside.reducing > 0 ? row_of(work, CommunicationClass::reducing, table) : nullptr;
  const OverlapRow* const copying =
      beside.copying > 0 ? row_of(work, CommunicationClass::copying, table) : nullptr;
  if (reducing == nullptr && copying == nullptr)
    return slowdown(use, beside.busy_sms, beside.memory_share, table);
  double slowest = 1;
  for (const OverlapRow* const row : {reducing, copying})
    if (row != nullptr) slowest = std::max(slowest, row->compute_slowdown);
  return slowest;
}

double communication_slowdown(std::optional<CommunicationClass> moving, ComputeClass beside,
                              const CostTable& table) {
  const OverlapRow* const row = moving ? row_of(beside, *moving, table) : nullptr;
  return std::max(
      1.0, row != nullptr ? row->communication_slowdown : table.overlap.communication_slowdown);
}

}  // namespace quintet
