// From graph to descriptors, plans and runs, with a stand-in for cuDNN.
#include <gtest/gtest.h>

#include "kernels/cuda/cudnn/cudnn_attention_plans.h"
#include "kernels/cuda/cudnn/cudnn_library.h"
#include "tests/stand_ins/fake_cudnn.h"

namespace quintet::kernels::cuda {
namespace {

using fake_cudnn::world;

alignas(16) std::byte memory[64];

class CudnnPlans : public testing::Test {
 protected:
  void SetUp() override { world() = {}; }

  CudnnFunctions cudnn_ = fake_cudnn::functions();
  int handle_ = 0;
  CudnnTarget target_{reinterpret_cast<cudnnHandle_t>(&handle_), nullptr};
};

// c = a b, and c through a number into d.
OperatorGraph small_graph() {
  const FourSizes sizes{1, 2, 3, 4}, strides{24, 12, 4, 1};
  const auto tensor = [&](std::int64_t number, GraphTensor::Place place) {
    return GraphTensor{number, CUDNN_DATA_BFLOAT16, sizes, strides, place};
  };
  return {{tensor(1, GraphTensor::Place::memory), tensor(2, GraphTensor::Place::memory),
           tensor(3, GraphTensor::Place::passing), tensor(4, GraphTensor::Place::number),
           tensor(5, GraphTensor::Place::memory)},
          {GraphProduct{1, 2, 3}, GraphPointwise{CUDNN_POINTWISE_MUL, 3, 5, 4}}};
}

const fake_cudnn::Descriptor& tensor(std::int64_t number) {
  for (const auto* const each : world().of(CUDNN_BACKEND_TENSOR_DESCRIPTOR))
    if (each->values<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID).at(0) == number) return *each;
  throw std::out_of_range("no tensor " + std::to_string(number));
}

TEST_F(CudnnPlans, TensorsCarryTheirNumberTypeSizesAndPlace) {
  ASSERT_TRUE(std::holds_alternative<CudnnPlan>(make_plan(cudnn_, target_, small_graph())));
  const auto& third = tensor(3);
  EXPECT_EQ(third.values<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE).at(0), CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(third.values<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
            (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(third.values<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES),
            (std::vector<std::int64_t>{24, 12, 4, 1}));
  EXPECT_EQ(third.attributes.count(CUDNN_ATTR_TENSOR_IS_VIRTUAL), 1U);
  EXPECT_EQ(tensor(1).attributes.count(CUDNN_ATTR_TENSOR_IS_VIRTUAL), 0U);
  EXPECT_EQ(tensor(4).attributes.count(CUDNN_ATTR_TENSOR_IS_BY_VALUE), 1U);
}

TEST_F(CudnnPlans, OperatorsNameTheirTensors) {
  ASSERT_TRUE(std::holds_alternative<CudnnPlan>(make_plan(cudnn_, target_, small_graph())));
  const auto& product = *world().of(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR).at(0);
  const auto& point = *world().of(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR).at(0);
  EXPECT_EQ(product.values<const void*>(CUDNN_ATTR_OPERATION_MATMUL_BDESC).at(0), &tensor(2));
  EXPECT_EQ(product.values<const void*>(CUDNN_ATTR_OPERATION_MATMUL_CDESC).at(0), &tensor(3));
  EXPECT_EQ(point.values<const void*>(CUDNN_ATTR_OPERATION_POINTWISE_XDESC).at(0), &tensor(3));
  EXPECT_EQ(point.values<const void*>(CUDNN_ATTR_OPERATION_POINTWISE_BDESC).at(0), &tensor(4));
  EXPECT_EQ(point.attributes.count(CUDNN_ATTR_OPERATION_POINTWISE_TDESC), 0U);
  const auto& graph = *world().of(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR).at(0);
  EXPECT_EQ(graph.values<const void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS),
            (std::vector<const void*>{&product, &point}));
}

TEST_F(CudnnPlans, TheNextEngineIsTakenWhereTheFirstRefuses) {
  world().refused_plans = 1;
  const auto made = make_plan(cudnn_, target_, small_graph());
  ASSERT_TRUE(std::holds_alternative<CudnnPlan>(made));
  EXPECT_EQ(std::get<CudnnPlan>(made).workspace_bytes(), 4096);
  EXPECT_EQ(world().of(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR).size(), 2U);
}

TEST_F(CudnnPlans, SaysWhyThereIsNone) {
  world().refused_plans = 2;
  EXPECT_EQ(std::get<std::string>(make_plan(cudnn_, target_, small_graph())),
            "cuDNN: a plan: not supported, says the stand-in");
  world().engines = 0;
  EXPECT_EQ(std::get<std::string>(make_plan(cudnn_, target_, small_graph())),
            "cuDNN has no engine for it");
}

TEST_F(CudnnPlans, ARunIsGivenPointersByNumber) {
  const auto made = make_plan(cudnn_, target_, small_graph());
  float number = 0.5F;
  std::get<CudnnPlan>(made).run(target_.handle, {{1, memory}, {5, memory + 16}, {4, &number}},
                                memory + 32);
  ASSERT_EQ(world().runs.size(), 1U);
  const std::map<std::int64_t, void*> expected{{1, memory}, {5, memory + 16}, {4, &number}};
  EXPECT_EQ(world().runs[0].pointers, expected);
  EXPECT_EQ(world().runs[0].workspace, memory + 32);
}

AttentionForward forward_of(Index rows) {
  AttentionForward a;
  a.shape.sequences = 1;
  a.shape.query_heads = a.shape.key_heads = 4;
  a.shape.head_size = 128;
  a.shape.query_rows = a.shape.key_rows = rows;
  a.query = a.key = a.value = ConstTensor(memory, ElementType::bf16);
  a.output = Tensor(memory, ElementType::bf16);
  return a;
}

AttentionBackward backward_of(Index rows) {
  AttentionBackward a;
  a.shape = forward_of(rows).shape;
  a.query = a.key = a.value = a.output = a.output_gradient = ConstTensor(memory, ElementType::bf16);
  a.query_gradient = a.key_gradient = a.value_gradient = Tensor(memory, ElementType::bf16);
  return a;
}

TEST_F(CudnnPlans, AttentionIsPlannedOncePerShapeAndPass) {
  CudnnAttentionPlans plans(cudnn_, target_);
  const CudnnPlan* const first = plans.forward(forward_of(256));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(plans.forward(forward_of(256)), first);
  EXPECT_EQ(world().of(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR).size(), 1U);
  EXPECT_NE(plans.forward(forward_of(512)), first);
  EXPECT_NE(plans.backward(backward_of(256)), first);
  EXPECT_EQ(world().of(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR).size(), 3U);
}

TEST_F(CudnnPlans, AShapeThatWasRefusedIsNotTriedAgain) {
  world().engines = 0;
  CudnnAttentionPlans plans(cudnn_, target_);
  EXPECT_EQ(plans.forward(forward_of(256)), nullptr);
  const std::size_t descriptors = world().descriptors.size();
  EXPECT_EQ(plans.forward(forward_of(256)), nullptr);
  EXPECT_EQ(world().descriptors.size(), descriptors);
  EXPECT_EQ(plans.why_not(), "cuDNN has no engine for it");
}

TEST_F(CudnnPlans, WhatTheGraphIsNotForAsksCudnnNothing) {
  CudnnAttentionPlans plans(cudnn_, target_);
  AttentionForward windowed = forward_of(256);
  windowed.shape.window = 64;
  EXPECT_EQ(plans.forward(windowed), nullptr);
  EXPECT_EQ(plans.why_not(), "a window");
  EXPECT_TRUE(world().descriptors.empty());
}

TEST_F(CudnnPlans, AnOldCudnnIsNotTrustedWithTheGradientsOfOddKeys) {
  world().version = 91500;
  CudnnAttentionPlans plans(cudnn_, target_);
  EXPECT_EQ(plans.backward(backward_of(200)), nullptr);
  EXPECT_NE(plans.why_not().find("wrong for these keys"), std::string::npos);
  EXPECT_NE(plans.backward(backward_of(256)), nullptr);
  EXPECT_NE(plans.forward(forward_of(200)), nullptr);
}

TEST(CudnnLibrary, SaysWhereItLookedAndWhyThatIsNone) {
  const OpenedCudnn opened = open_cudnn({"/nowhere/libcudnn.so.9"});
  EXPECT_FALSE(opened.functions);
  EXPECT_NE(opened.why_not.find("/nowhere/libcudnn.so.9"), std::string::npos);
}

TEST(CudnnLibrary, TheVariableNamesTheOnlyPlace) {
  const auto places = library_places(cudnn_name, [](const char* name) {
    return std::string(name) == "QUINTET_CUDNN_LIBRARY" ? std::optional<std::string>("/here.so")
                                                        : std::nullopt;
  });
  EXPECT_EQ(places, std::vector<std::string>{"/here.so"});
}

}  // namespace
}  // namespace quintet::kernels::cuda
