#include "sim/cost/refit/formula_line.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/cost/kernel_time.h"
#include "sim/cost/memory_time.h"
#include "sim/cost/operator_family.h"

namespace quintet {

namespace {

constexpr int per_octave = 8;

struct Range {
  double least, most;
};

Range range_of(const CoveredRanges& covered, std::string_view of, Range usual) {
  for (const Covered& each : covered)
    if (each.of == of && each.least > 0 && each.most > each.least) return {each.least, each.most};
  return usual;
}

// Places over the range, evenly in logarithms.
void draw(PartFit& fit, Range range, const CostTable& formulas,
          const std::function<PricedOperator(double size)>& work_of) {
  const int count =
      std::max(2, static_cast<int>(std::ceil(per_octave * std::log2(range.most / range.least))));
  for (int i = 0; i <= count; ++i) {
    const PricedOperator work =
        work_of(range.least * std::pow(range.most / range.least, static_cast<double>(i) / count));
    const Seconds time = kernel_time(work, formulas);
    const double amount = natural_work(work);
    if (!fit.curve.empty() && amount <= fit.curve.back().amount) continue;
    const Residuals& band = fit.part.recorded;
    fit.curve.push_back({amount, time * (1 + band.p05), time, time * (1 + band.p95)});
  }
}

// Only formulas: nothing measured stands before them.
CostTable only_formulas(const CostTable& table) {
  CostTable formulas = table;
  formulas.stages.clear();
  formulas.operators.clear();
  formulas.curves.clear();
  return formulas;
}

std::int64_t whole(double size) {
  return std::max<std::int64_t>(1, std::llround(size));
}

void draw_gemm(PartFit& fit, const CostTable& formulas, const GemmCosts& costs) {
  fit.unit = AmountUnit::flops;
  fit.of = "forward products, m = n = k";
  draw(fit, range_of(costs.covered, "k", {64, 16384}), formulas, [&](double size) {
    const std::int64_t side = whole(size);
    return PricedOperator{OperatorKind::mlp_up, Phase::forward, costs.type,
                          GemmShape{side, side, side}};
  });
}

void draw_attention(PartFit& fit, const CostTable& formulas, const AttentionCosts& costs) {
  fit.unit = AmountUnit::flops;
  fit.of = "causal forward passes of 32 heads of 128, by length";
  const bool has_peak = std::any_of(formulas.gemm.begin(), formulas.gemm.end(),
                                    [&](const GemmCosts& gemm) { return gemm.type == costs.type; });
  if (!has_peak) return;
  draw(fit, range_of(costs.covered, "length", {64, 16384}), formulas, [&](double size) {
    AttentionShape shape;
    shape.sequences = 1;
    shape.heads = shape.kv_heads = 32;
    shape.head_dim = 128;
    shape.query_length = shape.key_length = whole(size);
    return PricedOperator{OperatorKind::attention, Phase::forward, costs.type, shape};
  });
}

// The operator that the operation prices by itself, if any.
std::optional<OperatorKind> kind_by(MemoryOperation operation, const MemoryShape& shape) {
  for (const OperatorKind kind :
       {OperatorKind::norm, OperatorKind::mlp_activation, OperatorKind::residual,
        OperatorKind::optimizer_update, OperatorKind::embedding, OperatorKind::cross_entropy})
    if (operation_of(kind, shape) == operation) return kind;
  return std::nullopt;
}

void draw_memory(PartFit& fit, const CostTable& formulas, const MemoryCosts& costs) {
  fit.of = "bytes moved, half of them read";
  constexpr std::int64_t columns = 4096;
  const bool rows = costs.operation == MemoryOperation::norm;
  if (rows) fit.of += ", rows of 4096 in 2 B";
  const auto shape_of = [&](double bytes) {
    return MemoryShape{
        {bytes / 2}, {bytes / 2}, rows ? whole(bytes / (4.0 * columns)) : 0, rows ? columns : 0};
  };
  const std::optional<OperatorKind> kind = kind_by(costs.operation, shape_of(1 << 20));
  if (!kind) return;
  draw(fit, {0x1p16, 0x1p32}, formulas, [&](double bytes) {
    return PricedOperator{*kind, Phase::forward, DataType::bf16, shape_of(bytes)};
  });
}

}  // namespace

PartFit formula_fit(const CostTable& table, const CostPart& part) {
  PartFit fit{part, AmountUnit::bytes, "", {}, {}, {}, 0};
  const CostTable formulas = only_formulas(table);
  if (part.kind == PartKind::gemm) draw_gemm(fit, formulas, table.gemm[*part.entry]);
  if (part.kind == PartKind::attention) draw_attention(fit, formulas, table.attention[*part.entry]);
  if (part.kind == PartKind::memory) draw_memory(fit, formulas, table.memory[*part.entry]);
  return fit;
}

}  // namespace quintet
