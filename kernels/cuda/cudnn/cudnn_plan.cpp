#include "kernels/cuda/cudnn/cudnn_plan.h"

#include <algorithm>

namespace quintet::kernels::cuda {

namespace {

using Tensors = std::map<std::int64_t, CudnnDescriptor>;

CudnnDescriptor tensor_descriptor(const CudnnFunctions& cudnn, const GraphTensor& tensor) {
  constexpr std::int64_t alignment = 16;
  CudnnDescriptor made(cudnn, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, tensor.number);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, tensor.type);
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, tensor.sizes.data());
  made.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, tensor.strides.data());
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment);
  switch (tensor.place) {
    case GraphTensor::Place::memory:
      break;
    case GraphTensor::Place::number:
      made.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, true);
      break;
    case GraphTensor::Place::passing:
      made.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, true);
      break;
  }
  return std::move(made).finalised("tensor " + std::to_string(tensor.number));
}

// Turns operators into cuDNN's descriptors.
struct Describe {
  const CudnnFunctions& cudnn;
  const Tensors& tensors;

  CudnnDescriptor operator()(const GraphProduct& product) const {
    CudnnDescriptor kind(cudnn, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    kind.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
    const CudnnDescriptor ready = std::move(kind).finalised("a product's kind");
    CudnnDescriptor made(cudnn, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, ready);
    made.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, tensors.at(product.left));
    made.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, tensors.at(product.right));
    made.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, tensors.at(product.product));
    return std::move(made).finalised("a product");
  }
  CudnnDescriptor operator()(const GraphPointwise& point) const {
    CudnnDescriptor kind(cudnn, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    kind.set(CUDNN_ATTR_POINTWISE_MODE, point.mode);
    kind.set(CUDNN_ATTR_POINTWISE_MATH_PREC, point.precision);
    if (point.axis) kind.set(CUDNN_ATTR_POINTWISE_AXIS, *point.axis);
    const CudnnDescriptor ready = std::move(kind).finalised("a pointwise operator's kind");
    CudnnDescriptor made(cudnn, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, ready);
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensors.at(point.input));
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensors.at(point.output));
    if (point.second) made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensors.at(*point.second));
    if (point.choice) made.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, tensors.at(*point.choice));
    return std::move(made).finalised("a pointwise operator");
  }
  CudnnDescriptor operator()(const GraphReduction& reduction) const {
    CudnnDescriptor kind(cudnn, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    kind.set(CUDNN_ATTR_REDUCTION_OPERATOR, reduction.by);
    kind.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    const CudnnDescriptor ready = std::move(kind).finalised("a reduction's kind");
    CudnnDescriptor made(cudnn, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, ready);
    made.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, tensors.at(reduction.input));
    made.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, tensors.at(reduction.output));
    return std::move(made).finalised("a reduction");
  }
  CudnnDescriptor operator()(const GraphReshape& reshape) const {
    CudnnDescriptor made(cudnn, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    made.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, tensors.at(reshape.input));
    made.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, tensors.at(reshape.output));
    return std::move(made).finalised("a reshape");
  }
};

std::vector<cudnnBackendDescriptor_t> raw_of(const std::vector<CudnnDescriptor>& descriptors) {
  std::vector<cudnnBackendDescriptor_t> raw;
  for (const CudnnDescriptor& descriptor : descriptors) raw.push_back(descriptor.raw());
  return raw;
}

CudnnDescriptor plan_of(const CudnnFunctions& cudnn, const CudnnTarget& target,
                        const CudnnDescriptor& engine) {
  CudnnDescriptor plan(cudnn, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
  if (target.properties != nullptr)
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *target.properties);
  else
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &target.handle);
  return std::move(plan).finalised("a plan");
}

}  // namespace

CudnnDescriptor described(const CudnnFunctions& cudnn, const CudnnTarget& target,
                          const OperatorGraph& graph) {
  Tensors tensors;
  for (const GraphTensor& tensor : graph.tensors)
    tensors.emplace(tensor.number, tensor_descriptor(cudnn, tensor));
  std::vector<CudnnDescriptor> operators;
  for (const GraphOperator& each : graph.operators)
    operators.push_back(std::visit(Describe{cudnn, tensors}, each));
  CudnnDescriptor made(cudnn, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  if (target.handle != nullptr)
    made.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &target.handle);
  const auto raw = raw_of(operators);
  made.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
           static_cast<std::int64_t>(raw.size()), raw.data());
  return std::move(made).finalised("a graph");
}

std::vector<CudnnDescriptor> engines_for(const CudnnFunctions& cudnn, const CudnnTarget& target,
                                         const CudnnDescriptor& graph) {
  CudnnDescriptor asked(cudnn, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  asked.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  asked.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A);
  if (target.properties != nullptr) asked.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target.properties);
  const CudnnDescriptor heuristic = std::move(asked).finalised("a heuristic");

  constexpr std::int64_t at_most = 16;
  std::vector<CudnnDescriptor> engines;
  for (std::int64_t i = 0; i < at_most; ++i)
    engines.emplace_back(cudnn, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  auto raw = raw_of(engines);
  std::int64_t found = 0;
  check(cudnn,
        cudnn.get(heuristic.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                  at_most, &found, raw.data()),
        "a heuristic's engines");
  engines.erase(engines.begin() + std::min(found, at_most), engines.end());
  return engines;
}

CudnnPlan::CudnnPlan(CudnnDescriptor plan) : plan_(std::move(plan)) {
  std::int64_t count = 0;
  const CudnnFunctions& cudnn = plan_.functions();
  check(cudnn,
        cudnn.get(plan_.raw(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                  &count, &workspace_bytes_),
        "a plan's workspace");
}

void CudnnPlan::run(cudnnHandle_t handle, const std::map<std::int64_t, void*>& pointers,
                    void* workspace) const {
  std::vector<std::int64_t> numbers;
  std::vector<void*> memory;
  for (const auto& [number, pointer] : pointers) {
    numbers.push_back(number);
    memory.push_back(pointer);
  }
  const CudnnFunctions& cudnn = plan_.functions();
  const auto count = static_cast<std::int64_t>(numbers.size());
  CudnnDescriptor given(cudnn, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  given.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, numbers.data());
  given.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, memory.data());
  given.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  const CudnnDescriptor pack = std::move(given).finalised("the pointers of a run");
  check(cudnn, cudnn.execute(handle, plan_.raw(), pack.raw()), "a run");
}

std::variant<CudnnPlan, std::string> make_plan(const CudnnFunctions& cudnn,
                                               const CudnnTarget& target,
                                               const OperatorGraph& graph) {
  std::string why = "cuDNN has no engine for it";
  try {
    const CudnnDescriptor whole = described(cudnn, target, graph);
    for (const CudnnDescriptor& engine : engines_for(cudnn, target, whole)) {
      try {
        return CudnnPlan(plan_of(cudnn, target, engine));
      } catch (const CudnnError& refused) {
        why = refused.what();
      }
    }
  } catch (const CudnnError& refused) {
    why = refused.what();
  }
  return why;
}

}  // namespace quintet::kernels::cuda
