#include "sim/cost/operator_family.h"

#include <algorithm>
#include <cmath>

#include "sim/base/quantity_text.h"
#include "sim/base/result.h"

namespace quintet {
namespace {

double moved(const MemoryShape& shape) {
  return (shape.read + shape.written).value;
}

double share_of_heads(const AttentionShape& shape) {
  return static_cast<double>(shape.heads) /
         static_cast<double>(std::max<std::int64_t>(1, shape.kv_heads));
}

double keys_seen(const AttentionShape& shape) {
  const bool windowed = shape.window > 0 && shape.window < shape.key_length;
  return static_cast<double>(windowed ? shape.window : shape.key_length);
}

}  // namespace

OperatorFamily family_of(const PricedOperator& work) {
  OperatorFamily family{work.kind, work.phase, work.type};
  std::visit(Match{[&](const GemmShape&) { family.form = OperatorForm::gemm; },
                   [&](const AttentionShape& shape) {
                     family.form = OperatorForm::attention;
                     family.mask = shape.mask;
                     family.kernel = shape.kernel;
                   },
                   [&](const MemoryShape& shape) {
                     family.form = OperatorForm::memory;
                     family.structured = shape.rows > 0;
                     if (moved(shape) > 0)
                       family.read_per_mille =
                           static_cast<int>(std::lround(1000 * shape.read.value / moved(shape)));
                   },
                   [&](const ProfiledShape&) { family.form = OperatorForm::profile; }},
             work.shape);
  return family;
}

std::string family_text(const OperatorFamily& family) {
  return std::string(name_of(family.kind)) + " " + std::string(name_of(family.phase)) + " in " +
         std::string(name_of(family.type));
}

std::vector<double> sizes_of(const PricedOperator& work) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  return std::visit(
      Match{[&](const GemmShape& shape) -> std::vector<double> {
              return {number(shape.m), number(shape.n), number(shape.k), number(shape.batch)};
            },
            [&](const AttentionShape& shape) -> std::vector<double> {
              return {number(shape.sequences * shape.heads), number(shape.query_length),
                      keys_seen(shape), number(shape.head_dim), share_of_heads(shape)};
            },
            [&](const MemoryShape& shape) -> std::vector<double> {
              if (shape.rows > 0) return {number(shape.rows), number(shape.columns)};
              return {moved(shape)};
            },
            [](const ProfiledShape&) -> std::vector<double> { return {}; }},
      work.shape);
}

std::vector<std::string> size_names(const OperatorFamily& family) {
  switch (family.form) {
    case OperatorForm::gemm:
      return {"m", "n", "k", "batch"};
    case OperatorForm::attention:
      return {"sequences x heads", "query length", "key length", "head width",
              "heads per key head"};
    case OperatorForm::memory:
      if (family.structured) return {"rows", "columns"};
      return {"bytes"};
    case OperatorForm::profile:
      return {};
  }
  return {};
}

double natural_work(const PricedOperator& work) {
  if (const auto* const shape = std::get_if<MemoryShape>(&work.shape)) return moved(*shape);
  return flops_of(work.shape, work.phase, AttentionCount::causal_half).value;
}

}  // namespace quintet
