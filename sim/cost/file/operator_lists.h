// The fields of what is measured of operators (sim/json/field_list.h), for cost tables and whoever
// keeps operators in files of their own. Keys are written in the order of the alphabet, as the
// tables that are there have them. Only reader .cpp files include this header.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "sim/cost/cost_table.h"
#include "sim/json/field_list.h"

namespace quintet {

inline constexpr Between any_count{1, std::numeric_limits<int>::max()};
inline constexpr Between any_count_or_none{0, std::numeric_limits<int>::max()};

inline std::string_view mask_word(MaskKind mask) {
  switch (mask) {
    case MaskKind::causal:
      return "causal";
    case MaskKind::bidirectional:
      return "bidirectional";
  }
  return {};
}

inline std::string_view kernel_word(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::unfused:
      return "unfused";
    case AttentionKernel::flash:
      return "flash";
  }
  return {};
}

// A whole stage is no operator that could be measured; others' kernels are of no known operator.
inline std::string_view operator_word(OperatorKind kind) {
  return kind >= OperatorKind::product ? "" : name_of(kind);
}

template <class File>
void fields(File& file, GemmShape& gemm) {
  file.field("batch", gemm.batch, any_count);
  file.required("k", gemm.k, any_count);
  file.required("m", gemm.m, any_count);
  file.required("n", gemm.n, any_count);
}

template <class File>
void fields(File& file, AttentionShape& attention) {
  file.required("head_dim", attention.head_dim, any_count);
  file.required("heads", attention.heads, any_count);
  file.required("kernel", attention.kernel, kernel_word);
  file.required("key_length", attention.key_length, any_count);
  file.required("kv_heads", attention.kv_heads, any_count);
  file.required("mask", attention.mask, mask_word);
  file.required("query_length", attention.query_length, any_count);
  file.required("sequences", attention.sequences, any_count);
  file.field("window", attention.window, any_count_or_none);
}

template <class File>
void fields(File& file, MemoryShape& memory) {
  file.field("columns", memory.columns, any_count_or_none);
  file.required("read", memory.read);
  file.field("rows", memory.rows, any_count_or_none);
  file.required("written", memory.written);
}

template <class Shape>
std::optional<Shape> held(const OperatorShape& shape) {
  const Shape* const found = std::get_if<Shape>(&shape);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

template <class File>
void fields(File& file, MeasuredOperator& measured) {
  PricedOperator& work = measured.work;
  auto attention = held<AttentionShape>(work.shape);
  auto gemm = held<GemmShape>(work.shape);
  auto memory = held<MemoryShape>(work.shape);
  file.preset(attention, {});
  file.preset(gemm, {});
  file.preset(memory, {});
  file.field("attention", attention);
  file.field("gemm", gemm);
  file.field("kernels", work.kernels, any_count);
  file.field("memory", memory);
  file.required("operator", work.kind, operator_word);
  file.required("phase", work.phase);
  file.required("samples", measured.samples, any_count);
  file.required("time", measured.time);
  file.required("type", work.type);
  if (int{attention.has_value()} + int{gemm.has_value()} + int{memory.has_value()} != 1)
    file.refuse("operator",
                "expected exactly one of \"gemm\", \"attention\", \"memory\" beside it");
  if (attention) work.shape = *attention;
  if (gemm) work.shape = *gemm;
  if (memory) work.shape = *memory;
}

template <class File>
void fields(File& file, StagingCosts& costs) {
  file.required("communication", costs.communication);
  file.required("rate", costs.rate);
}

}  // namespace quintet
