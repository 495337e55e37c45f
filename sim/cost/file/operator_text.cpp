#include "sim/cost/file/operator_text.h"

#include "sim/base/quantity_text.h"
#include "sim/base/result.h"

namespace quintet {
namespace {

std::string shape_text(const OperatorShape& shape) {
  return std::visit(
      Match{[](const GemmShape& gemm) {
              return std::to_string(gemm.m) + "x" + std::to_string(gemm.n) + "x" +
                     std::to_string(gemm.k);
            },
            [](const AttentionShape& attention) {
              return std::to_string(attention.sequences) + " x " + std::to_string(attention.heads) +
                     " heads of " + std::to_string(attention.head_dim) + ", " +
                     std::to_string(attention.query_length) + "x" +
                     std::to_string(attention.key_length);
            },
            [](const MemoryShape& memory) {
              return text(memory.read) + " read, " + text(memory.written) + " written";
            },
            [](const ProfiledShape& profiled) {
              return "profile of stage " + std::to_string(profiled.stage);
            }},
      shape);
}

}  // namespace

std::string operator_text(const PricedOperator& work) {
  return std::string(name_of(work.kind)) + " " + std::string(name_of(work.phase)) + " in " +
         std::string(name_of(work.type)) + ", " + shape_text(work.shape);
}

}  // namespace quintet
