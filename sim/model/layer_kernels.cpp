#include "sim/model/layer_kernels.h"

#include "sim/model/update_operators.h"

namespace quintet {
namespace {

Bias bias_if(bool present) {
  return present ? Bias::present : Bias::absent;
}

Rows rows_of(NormKernels kernels) {
  return kernels == NormKernels::fused ? Rows::structured : Rows::plain;
}

}  // namespace

Linear LayerKernels::qkv() const {
  return {Computation::qkv,
          Computation::qkv_bias,
          sizes_.tokens,
          sizes_.hidden,
          sizes_.query_width + 2 * sizes_.kv_width,
          bias_if(model_.qkv_bias),
          sizes_.tokens};
}

Linear LayerKernels::attention_output() const {
  return {Computation::attention_output,
          Computation::attention_output_bias,
          sizes_.tokens,
          sizes_.query_width,
          sizes_.hidden,
          bias_if(model_.attention_output_bias),
          sizes_.token_share};
}

Linear LayerKernels::mlp_up() const {
  return {Computation::mlp_up, Computation::mlp_up_bias, sizes_.tokens, sizes_.hidden,
          sizes_.up_width,     bias_if(model_.mlp_bias), sizes_.tokens};
}

Linear LayerKernels::mlp_down() const {
  return {Computation::mlp_down, Computation::mlp_down_bias, sizes_.tokens,     sizes_.down_width,
          sizes_.hidden,         bias_if(model_.mlp_bias),   sizes_.token_share};
}

// Transformer Engine leaves the head in the tensors' type.
DataType LayerKernels::product_type(const Linear& linear) const {
  return kind_of(linear.product) == OperatorKind::head ? work_.type
                                                       : work_.gemm_type.value_or(work_.type);
}

void LayerKernels::append_cast(std::int64_t rows, std::int64_t columns,
                               std::vector<Operator>& operators) const {
  if (!work_.gemm_type) return;
  const bool looks_first = work_.float8_scaling == Float8Scaling::current;
  const double read = size_of(work_.type).value, written = 2 * operand_bytes(work_).value;
  const ElementTraffic traffic{looks_first ? 2 * read : read, written, looks_first ? 2 : 1};
  operators.push_back(
      memory_operator(Computation::operand_cast, context_, traffic, rows, columns, Rows::plain));
}

Operator LayerKernels::product(const Linear& linear) const {
  return {linear.product, context_.phase, product_type(linear),
          GemmShape{linear.rows, linear.out, linear.in}, 1};
}

Operator LayerKernels::input_gradient(const Linear& linear) const {
  return {linear.product, context_.phase, product_type(linear),
          GemmShape{linear.rows, linear.in, linear.out}, 1};
}

void LayerKernels::append_weight_gradient(const Linear& linear,
                                          std::vector<Operator>& operators) const {
  operators.push_back({linear.product, context_.phase, product_type(linear),
                       GemmShape{linear.in, linear.out, linear.rows}, 1});
  if (linear.bias == Bias::present) {
    Operator& product = operators.back();
    Operator sum = memory_operator(linear.bias_sum, context_,
                                   {.read = size_of(work_.type).value, .written = 0},
                                   linear.bias_rows, linear.out, Rows::plain);
    make_pair(product, sum);
    operators.push_back(sum);
  }
  if (work_.fusion.gradient_accumulation) return;
  Operator addition =
      gradient_add_operator(linear.in * linear.out, work_.type, work_.gradient_type);
  addition.phase = context_.phase;
  addition.kernels = 1;
  operators.push_back(addition);
}

Operator LayerKernels::on_hidden(Computation which, const ElementTraffic& traffic,
                                 Rows structure) const {
  return memory_operator(which, context_, traffic, sizes_.token_share, sizes_.hidden, structure);
}

Operator LayerKernels::norm(Computation which, ResidualSum sum) const {
  const NormKernels kernels = norm_kernels(model_, work_.fusion);
  return on_hidden(which, norm_forward(work_.type, kernels, sum), rows_of(kernels));
}

Operator LayerKernels::norm_gradient(Computation which, ResidualSum sum) const {
  const NormKernels kernels = norm_kernels(model_, work_.fusion);
  return on_hidden(which, norm_backward(work_.type, kernels, sum), rows_of(kernels));
}

Operator LayerKernels::residual(Computation which, Bias bias) const {
  return on_hidden(which, residual_forward(model_, work_, bias), Rows::plain);
}

Operator LayerKernels::residual_gradient(Computation which) const {
  const double element = size_of(work_.type).value;
  return on_hidden(which, {2 * element, element, 1}, Rows::plain);
}

Operator LayerKernels::dropout(Computation which) const {
  return on_hidden(which, dropout_forward(work_.type), Rows::plain);
}

Operator LayerKernels::dropout_gradient(Computation which) const {
  return on_hidden(which, dropout_backward(work_.type), Rows::plain);
}

Operator LayerKernels::activation() const {
  return memory_operator(Computation::mlp_activation, context_, activation_forward(model_, work_),
                         sizes_.tokens, sizes_.down_width, Rows::plain);
}

Operator LayerKernels::activation_gradient() const {
  return memory_operator(Computation::mlp_activation, context_, activation_backward(model_, work_),
                         sizes_.tokens, sizes_.down_width, Rows::plain);
}

void LayerKernels::append_rotary(std::vector<Operator>& operators) const {
  if (model_.positions != PositionKind::rotary || work_.fusion.rotary_in_attention) return;
  operators.push_back(memory_operator(Computation::rotary, context_,
                                      rotary_traffic(work_.type, work_.fusion), sizes_.tokens,
                                      sizes_.query_width + sizes_.kv_width, Rows::plain));
}

// Queries and keys are normed by a kernel each.
Operator LayerKernels::on_heads(ElementTraffic traffic) const {
  traffic.kernels *= 2;
  return memory_operator(Computation::head_norms, context_, traffic,
                         sizes_.tokens * (sizes_.heads + sizes_.kv_heads), model_.head_dim,
                         Rows::structured);
}

void LayerKernels::append_qk_norm(std::vector<Operator>& operators) const {
  if (!model_.qk_norm) return;
  operators.push_back(on_heads(
      norm_forward(work_.type, norm_kernels(model_, work_.fusion), ResidualSum::elsewhere)));
}

void LayerKernels::append_qk_norm_gradient(std::vector<Operator>& operators) const {
  if (!model_.qk_norm) return;
  operators.push_back(on_heads(
      norm_backward(work_.type, norm_kernels(model_, work_.fusion), ResidualSum::elsewhere)));
}

}  // namespace quintet
