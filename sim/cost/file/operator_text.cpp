#include "sim/cost/file/operator_text.h"

#include <fmt/format.h>

#include "sim/base/quantity_text.h"
#include "sim/base/result.h"

namespace quintet {

std::string shape_text(const OperatorShape& shape) {
  return std::visit(
      Match{[](const GemmShape& gemm) { return fmt::format("{}x{}x{}", gemm.m, gemm.n, gemm.k); },
            [](const AttentionShape& attention) {
              return fmt::format("{} x {} heads of {}, {}x{}", attention.sequences, attention.heads,
                                 attention.head_dim, attention.query_length, attention.key_length);
            },
            [](const MemoryShape& memory) {
              return text(memory.read) + " read, " + text(memory.written) + " written";
            },
            [](const ProfiledShape& profiled) {
              return fmt::format("profile of stage {}", profiled.stage);
            }},
      shape);
}

std::string operator_text(const PricedOperator& work) {
  return std::string(name_of(work.kind)) + " " + std::string(name_of(work.phase)) + " in " +
         std::string(name_of(work.type)) + ", " + shape_text(work.shape);
}

}  // namespace quintet
