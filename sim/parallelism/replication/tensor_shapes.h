// The tensors of a part of the model as one rank holds them, in the order of its parameters: DeMo
// transforms each by itself. A matrix lies [in, out], a table [vocabulary, hidden], as in
// engine/parameters/parameter_layout.h; a vector is one row.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/model.h"
#include "sim/model/parameters.h"

namespace quintet {

struct TensorShape {
  std::int64_t rows = 1, columns = 0;
  std::int64_t count() const { return rows * columns; }
  bool operator==(const TensorShape&) const = default;
};
using TensorShapes = std::vector<TensorShape>;

TensorShapes layer_tensors(const Model& model, const ParameterSplit& split);
TensorShapes embedding_tensors(const Model& model, const ParameterSplit& split);
// With the projection unless it is the table of an embedding beside it.
enum class Projection { own, of_embedding };
TensorShapes head_tensors(const Model& model, const ParameterSplit& split, Projection projection);

std::int64_t count_of(const TensorShapes& tensors);

}  // namespace quintet
