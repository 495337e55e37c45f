#include "sim/model/update_operators.h"

#include <algorithm>

namespace quintet {
namespace {

constexpr double single = 4;  // bytes of fp32

Operator over(std::int64_t elements, Computation which, DataType type, double read,
              double written) {
  const double count = static_cast<double>(elements);
  const MemoryShape shape{.read = Bytes{read * count}, .written = Bytes{written * count}};
  return {which, Phase::update, type, shape, multi_tensor_kernels(elements)};
}

Operator step(const UpdateWork& work, Computation which, double read, double written) {
  const DataType type = work.master_weights ? DataType::fp32 : work.weights;
  return over(work.parameters, which, type, read, written);
}

std::vector<Operator> steps_of(const UpdateWork& work, double weight, double gradient) {
  const double moment = size_of(work.moments).value;
  switch (work.rule) {
    case UpdateRule::adamw:
      return {step(work, Computation::element_update, gradient + weight + 2 * moment,
                   weight + 2 * moment)};
    case UpdateRule::lamb:  // apex csrc/multi_tensor_lamb_stage_1.cu, l2norm, lamb_stage_2.cu
      return {step(work, Computation::lamb_direction, gradient + weight + 2 * moment,
                   single + 2 * moment),
              step(work, Computation::lamb_norms, weight + single, 0),
              step(work, Computation::lamb_step, weight + single, weight)};
    case UpdateRule::sgd:
      return {step(work, Computation::element_update, gradient + weight + moment, weight + moment)};
  }
  return {};
}

Computation norm_of(GradientScope scope) {
  switch (scope) {
    case GradientScope::bucket:
      return Computation::bucket_norm;
    case GradientScope::local:
      return Computation::local_norm;
    case GradientScope::updated:
      return Computation::gradient_norm;
  }
  return Computation::gradient_norm;
}

Computation clip_of(GradientScope scope) {
  switch (scope) {
    case GradientScope::bucket:
      return Computation::bucket_clip;
    case GradientScope::local:
      return Computation::local_clip;
    case GradientScope::updated:
      return Computation::gradient_clip;
  }
  return Computation::gradient_clip;
}

}  // namespace

int multi_tensor_kernels(std::int64_t elements) {
  constexpr std::int64_t covered = 320 * 65'536;
  return static_cast<int>(std::max<std::int64_t>(1, (elements + covered - 1) / covered));
}

std::vector<Operator> update_operators(const UpdateWork& work) {
  const double weight = work.master_weights ? single : size_of(work.weights).value;
  std::vector<Operator> operators = steps_of(work, weight, size_of(work.gradients).value);
  if (work.master_weights)
    operators.push_back(weight_cast_operator(work.parameters, DataType::fp32, work.weights));
  return operators;
}

Operator gradient_norm_operator(GradientScope scope, std::int64_t elements, DataType type) {
  return over(elements, norm_of(scope), type, size_of(type).value, 0);
}

Operator gradient_clip_operator(GradientScope scope, std::int64_t elements, DataType type) {
  return over(elements, clip_of(scope), type, size_of(type).value, size_of(type).value);
}

Operator gradient_unscale_operator(DataType type) {
  return over(1, Computation::gradient_unscale, type, single, single);
}

Operator bucket_mean_operator(std::int64_t elements, DataType type) {
  return over(elements, Computation::bucket_mean, type, size_of(type).value, size_of(type).value);
}

Operator gradient_add_operator(std::int64_t elements, DataType addend, DataType main) {
  return over(elements, Computation::gradient_add, main,
              size_of(addend).value + size_of(main).value, size_of(main).value);
}

Operator weight_cast_operator(std::int64_t elements, DataType from, DataType to) {
  return over(elements, Computation::weight_cast, to, size_of(from).value, size_of(to).value);
}

}  // namespace quintet
