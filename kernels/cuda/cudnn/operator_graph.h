// A graph of tensor operators as cuDNN's graph API takes it, as a value: made by pure functions,
// turned into cuDNN's descriptors by cudnn_plan.h.
#pragma once

#include <cudnn_graph.h>

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace quintet::kernels::cuda {

using FourSizes = std::array<std::int64_t, 4>;

struct GraphTensor {
  enum class Place {
    memory,   // given by its number when the graph runs
    number,   // one number of the host's, likewise
    passing,  // between two operators: never stored
  };

  std::int64_t number = 0;  // unique in the graph
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  FourSizes sizes{};
  FourSizes strides{};
  Place place = Place::passing;

  bool operator==(const GraphTensor&) const = default;
};

// Tensors by their numbers.
struct GraphProduct {
  std::int64_t left, right, product;
};
struct GraphPointwise {
  cudnnPointwiseMode_t mode;
  std::int64_t input, output;
  std::optional<std::int64_t> second{}, choice{};  // the choice of a BINARY_SELECT
  std::optional<std::int64_t> axis{};              // of GEN_INDEX
  cudnnDataType_t precision = CUDNN_DATA_FLOAT;
};
// Over every axis whose size differs.
struct GraphReduction {
  cudnnReduceTensorOp_t by;
  std::int64_t input, output;
};
struct GraphReshape {
  std::int64_t input, output;
};
using GraphOperator = std::variant<GraphProduct, GraphPointwise, GraphReduction, GraphReshape>;

struct OperatorGraph {
  std::vector<GraphTensor> tensors;
  std::vector<GraphOperator> operators;  // in the order of the data
};

}  // namespace quintet::kernels::cuda
