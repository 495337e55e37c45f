#include "kernels/cuda/cudnn/attention_graph.h"

namespace quintet::kernels::cuda {

namespace {

Index or_else(Index value, Index otherwise) {
  return value == 0 ? otherwise : value;
}

FourSizes packed(const FourSizes& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
}

FourSizes turned(const FourSizes& four) {
  return {four[0], four[1], four[3], four[2]};
}

// Adds tensors and operators one after the other.
class Builder {
 public:
  explicit Builder(const EvenAttention& shape) : shape_(shape) {}

  OperatorGraph graph() && { return std::move(graph_); }
  FourSizes scores() const {
    return {shape_.batch, shape_.query_heads, shape_.queries, shape_.keys};
  }
  FourSizes rows() const { return {shape_.batch, shape_.query_heads, shape_.queries, 1}; }

  // bf16 [batch, heads, length, head size] of rows `stride` apart.
  std::int64_t matrix(std::int64_t number, Index heads, Index length, Index stride) {
    const FourSizes sizes{shape_.batch, heads, length, shape_.head_size};
    const FourSizes strides{length * stride, shape_.head_size, stride, 1};
    return add({number, CUDNN_DATA_BFLOAT16, sizes, strides, GraphTensor::Place::memory});
  }
  std::int64_t turned_matrix(std::int64_t number, Index heads, Index length, Index stride) {
    matrix(number, heads, length, stride);
    GraphTensor& tensor = graph_.tensors.back();
    tensor.sizes = turned(tensor.sizes);
    tensor.strides = turned(tensor.strides);
    return number;
  }
  std::int64_t memory(std::int64_t number, const FourSizes& sizes) {
    return add({number, CUDNN_DATA_FLOAT, sizes, packed(sizes), GraphTensor::Place::memory});
  }
  std::int64_t number(std::int64_t number) {
    return add({number, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, GraphTensor::Place::number});
  }
  std::int64_t passing(const FourSizes& sizes, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return passing(sizes, packed(sizes), type);
  }
  std::int64_t passing(const FourSizes& sizes, const FourSizes& strides, cudnnDataType_t type) {
    return add({next_++, type, sizes, strides, GraphTensor::Place::passing});
  }

  std::int64_t multiply(std::int64_t left, std::int64_t right, std::int64_t product) {
    graph_.operators.push_back(GraphProduct{left, right, product});
    return product;
  }
  std::int64_t point(const GraphPointwise& pointwise) {
    graph_.operators.push_back(pointwise);
    return pointwise.output;
  }
  // This changes scores by a tensor of the same size, by one number per row, or by one number.
  std::int64_t on_scores(cudnnPointwiseMode_t mode, std::int64_t scores_in, std::int64_t second) {
    return point({mode, scores_in, passing(scores()), second});
  }
  std::int64_t reduce(cudnnReduceTensorOp_t by, std::int64_t input, std::int64_t output) {
    graph_.operators.push_back(GraphReduction{by, input, output});
    return output;
  }
  std::int64_t reshape(std::int64_t input, std::int64_t output) {
    graph_.operators.push_back(GraphReshape{input, output});
    return output;
  }

  // Scores of keys after their query become the lowest number.
  std::int64_t masked(std::int64_t scores_in) {
    if (shape_.mask == AttentionMask::none) return scores_in;
    const std::int64_t lowest = number(port::lowest);
    const auto index = [&](std::int64_t axis) {
      return point({CUDNN_POINTWISE_GEN_INDEX, scores_in, passing(scores(), CUDNN_DATA_INT32),
                    std::nullopt, std::nullopt, axis});
    };
    const std::int64_t row = index(2), column = index(3);
    const std::int64_t seen =
        point({CUDNN_POINTWISE_CMP_GE, row, passing(scores(), CUDNN_DATA_BOOLEAN), column,
               std::nullopt, std::nullopt, CUDNN_DATA_BOOLEAN});
    return point({CUDNN_POINTWISE_BINARY_SELECT, scores_in, passing(scores()), lowest, seen});
  }

  // sum over rows of gradients^T other, added up over the heads of a group.
  void multiply_turned(std::int64_t scores_in, std::int64_t other, std::int64_t to) {
    const FourSizes& s = scores();
    const std::int64_t across = reshape(
        scores_in,
        passing(turned(s), {s[1] * s[2] * s[3], s[2] * s[3], 1, s[3]}, CUDNN_DATA_BFLOAT16));
    if (shape_.query_heads == shape_.key_heads) {
      multiply(across, other, to);
      return;
    }
    const FourSizes of_every_head{shape_.batch, shape_.query_heads, shape_.keys, shape_.head_size};
    reduce(CUDNN_REDUCE_TENSOR_ADD,
           multiply(across, other, passing(of_every_head, CUDNN_DATA_BFLOAT16)), to);
  }

 private:
  std::int64_t add(const GraphTensor& tensor) {
    graph_.tensors.push_back(tensor);
    return tensor.number;
  }

  const EvenAttention& shape_;
  OperatorGraph graph_;
  std::int64_t next_ = 100;
};

std::string why_not_in_general(const AttentionLayout& s) {
  if (s.dropout.probability != 0.0F) return "dropout";
  if (s.window != 0) return "a window";
  if (s.head_size != 64 && s.head_size != 128)
    return "heads of " + std::to_string(s.head_size) + ", not 64 or 128";
  if (s.query_rows < 0 || s.key_rows < 0) return "the number of rows is not told";
  if (s.query_rows == 0 || s.key_rows == 0) return "no rows";
  if (s.sequences != 1 && s.lengths != SequenceLengths::equal)
    return "sequences that are not told to have one length";
  if (s.mask == AttentionMask::causal && s.query_rows != s.key_rows)
    return "a causal mask on more or fewer keys than queries";
  return {};
}

template <class... Matrices>
EvenOrWhyNot even_or_why_not(const AttentionLayout& s, const Matrices&... matrices) {
  if (!((matrices.type == ElementType::bf16) && ...)) return "matrices that are not bf16";
  if (!((reinterpret_cast<std::uintptr_t>(matrices.data) % 16 == 0) && ...))
    return "matrices that do not begin on 16 bytes";
  if (std::string why = why_not_in_general(s); !why.empty()) return why;
  EvenAttention even;
  even.batch = s.sequences;
  even.query_heads = s.query_heads;
  even.key_heads = s.key_heads;
  even.queries = s.query_rows / s.sequences;
  even.keys = s.key_rows / s.sequences;
  even.head_size = s.head_size;
  even.mask = s.mask;
  even.query_stride = or_else(s.query_stride, s.query_heads * s.head_size);
  even.key_stride = or_else(s.key_stride, s.key_heads * s.head_size);
  even.value_stride = or_else(s.value_stride, s.key_heads * s.head_size);
  even.output_stride = or_else(s.output_stride, s.query_heads * s.head_size);
  constexpr Index chunk = 8;  // of 16 bytes
  if (even.query_stride % chunk != 0 || even.key_stride % chunk != 0 ||
      even.value_stride % chunk != 0 || even.output_stride % chunk != 0)
    return "rows that do not begin on 16 bytes";
  return even;
}

}  // namespace

EvenOrWhyNot even_attention(const AttentionForward& a) {
  return even_or_why_not(a.shape, a.query, a.key, a.value, a.output);
}

EvenOrWhyNot even_attention(const AttentionBackward& a) {
  return even_or_why_not(a.shape, a.query, a.key, a.value, a.output, a.output_gradient,
                         a.query_gradient, a.key_gradient, a.value_gradient);
}

OperatorGraph forward_graph(const EvenAttention& e) {
  Builder b(e);
  const auto query = b.matrix(port::query, e.query_heads, e.queries, e.query_stride);
  const auto key = b.turned_matrix(port::key, e.key_heads, e.keys, e.key_stride);
  const auto value = b.matrix(port::value, e.key_heads, e.keys, e.value_stride);
  const auto output = b.matrix(port::output, e.query_heads, e.queries, e.output_stride);
  const auto statistics = b.memory(port::statistics, b.rows());
  const auto scale = b.number(port::scale);

  const auto products = b.multiply(query, key, b.passing(b.scores()));
  const auto scores = b.masked(b.on_scores(CUDNN_POINTWISE_MUL, products, scale));
  const auto largest = b.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, b.passing(b.rows()));
  const auto below = b.on_scores(CUDNN_POINTWISE_SUB, scores, largest);
  const auto powers = b.point({CUDNN_POINTWISE_EXP, below, b.passing(b.scores())});
  const auto sum = b.reduce(CUDNN_REDUCE_TENSOR_ADD, powers, b.passing(b.rows()));
  const auto logarithm = b.point({CUDNN_POINTWISE_LOG, sum, b.passing(b.rows())});
  b.point({CUDNN_POINTWISE_ADD, largest, statistics, logarithm});
  const auto probabilities =
      b.point({CUDNN_POINTWISE_DIV, powers, b.passing(b.scores(), CUDNN_DATA_BFLOAT16), sum});
  b.multiply(probabilities, value, output);
  return std::move(b).graph();
}

OperatorGraph backward_graph(const EvenAttention& e) {
  Builder b(e);
  const auto query = b.matrix(port::query, e.query_heads, e.queries, e.query_stride);
  const auto key = b.turned_matrix(port::key, e.key_heads, e.keys, e.key_stride);
  const auto value = b.turned_matrix(port::value, e.key_heads, e.keys, e.value_stride);
  const auto output = b.matrix(port::output, e.query_heads, e.queries, e.output_stride);
  const auto upstream = b.matrix(port::output_gradient, e.query_heads, e.queries, e.output_stride);
  const auto of_query = b.matrix(port::query_gradient, e.query_heads, e.queries, e.query_stride);
  const auto of_key = b.matrix(port::key_gradient, e.key_heads, e.keys, e.key_stride);
  const auto of_value = b.matrix(port::value_gradient, e.key_heads, e.keys, e.value_stride);
  const auto statistics = b.memory(port::statistics, b.rows());
  const auto scale = b.number(port::scale), one = b.number(port::one);
  const FourSizes queries{e.batch, e.query_heads, e.queries, e.head_size};

  // Output . upstream, in memory of its own: the engine computes it in a kernel of its own.
  const auto weighted = b.point({CUDNN_POINTWISE_MUL, upstream, b.passing(queries), output});
  const auto dots = b.reduce(CUDNN_REDUCE_TENSOR_ADD, weighted, b.passing(b.rows()));
  const auto output_products =
      b.point({CUDNN_POINTWISE_MUL, dots, b.memory(port::output_products, b.rows()), one});

  const auto products = b.multiply(query, key, b.passing(b.scores()));
  const auto scaled = b.on_scores(CUDNN_POINTWISE_MUL, products, scale);
  const auto scores = b.masked(b.on_scores(CUDNN_POINTWISE_SUB, scaled, statistics));
  const auto probabilities = b.point({CUDNN_POINTWISE_EXP, scores, b.passing(b.scores())});
  b.multiply_turned(probabilities, upstream, of_value);

  const auto of_probability = b.multiply(upstream, value, b.passing(b.scores()));
  const auto centred = b.on_scores(CUDNN_POINTWISE_SUB, of_probability, output_products);
  const auto of_score = b.on_scores(CUDNN_POINTWISE_MUL, centred, probabilities);
  const auto of_product = b.on_scores(CUDNN_POINTWISE_MUL, of_score, scale);
  b.multiply_turned(of_product, query, of_key);

  const FourSizes keys{e.batch, e.key_heads, e.keys, e.head_size};
  const FourSizes key_strides{e.keys * e.key_stride, e.head_size, e.key_stride, 1};
  const auto plain_key = b.reshape(key, b.passing(keys, key_strides, CUDNN_DATA_BFLOAT16));
  const auto sums = b.multiply(of_product, plain_key, b.memory(port::query_sums, queries));
  b.point({CUDNN_POINTWISE_IDENTITY, sums, of_query});
  return std::move(b).graph();
}

}  // namespace quintet::kernels::cuda
