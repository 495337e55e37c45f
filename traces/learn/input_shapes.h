// Shapes and element types of an operation's inputs, out of the text that profilers write of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/data_type.h"

namespace quintet {

using InputShape = std::vector<std::int64_t>;

// "[[2, 512], [], [512, 768]]": an empty shape for what is no tensor (numbers, lists of tensors).
// Empty where the text is none of that.
std::vector<InputShape> shapes_of(std::string_view text);

// "[float, c10::BFloat16]", "[Tensor(float), Int]": nothing for what is no type of ours.
std::vector<std::optional<DataType>> types_of(std::string_view text);

// A product of m x k with k x n: what GemmShape calls so.
struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
  auto operator<=>(const ProductShape&) const = default;
};

// Of aten::mm, addmm, _scaled_mm, linear and matmul by a matrix; nothing for others, for shapes
// that do not fit together, and for products of many small matrices.
std::optional<ProductShape> product_of(std::string_view operation,
                                       std::span<const InputShape> shapes);
// Which of its inputs has the type of the product.
std::size_t typed_input(std::string_view operation);

// All but the last extent multiplied; 0 of no shape.
std::int64_t rows_of(const InputShape& shape);

}  // namespace quintet
