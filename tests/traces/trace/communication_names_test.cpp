#include "traces/trace/communication_names.h"

#include <gtest/gtest.h>

namespace quintet::pytorch {
namespace {

using Kind = CommunicationKind;

TEST(CommunicationNames, KnowsPyTorchsNames) {
  EXPECT_EQ(communication_named("allreduce"), Kind::all_reduce);
  EXPECT_EQ(communication_named("_allgather_base"), Kind::all_gather);
  EXPECT_EQ(communication_named("all_gather_into_tensor_coalesced"), Kind::all_gather);
  EXPECT_EQ(communication_named("_reduce_scatter_base"), Kind::reduce_scatter);
  EXPECT_EQ(communication_named("reduce"), Kind::reduce);
  EXPECT_EQ(communication_named("all_to_allv"), Kind::all_to_all);
  EXPECT_EQ(communication_named("nccl:all_reduce"), Kind::all_reduce);
  EXPECT_EQ(communication_named("nccl:all_reduce_barrier"), Kind::barrier);
  EXPECT_EQ(communication_named("nccl:send 0->1"), Kind::send);
  EXPECT_EQ(communication_named("recv"), Kind::receive);
  EXPECT_FALSE(communication_named("wait"));
  EXPECT_FALSE(communication_named("nccl:coalesced"));
  EXPECT_FALSE(communication_named(""));
}

TEST(CommunicationNames, KnowsKernelsOfOldAndNewNccl) {
  const auto old = communication_of_kernel(
      "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->kind, Kind::all_reduce);
  EXPECT_EQ(old->detail, "ring LL");
  EXPECT_EQ(old->type->type, DataType::fp32);

  const auto recent = communication_of_kernel(
      "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
  ASSERT_TRUE(recent);
  EXPECT_EQ(recent->kind, Kind::reduce_scatter);
  EXPECT_EQ(recent->type->type, DataType::bf16);

  const auto older = communication_of_kernel("ncclAllReduceRingLLKernel_sum_f32(ncclColl)");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->kind, Kind::all_reduce);

  EXPECT_EQ(communication_of_kernel("ncclDevKernel_SendRecv(ncclDevKernelArgs)")->kind,
            Kind::send_and_receive);
  EXPECT_EQ(communication_of_kernel("ncclDevKernel_Generic(ncclDevKernelArgs)")->kind,
            Kind::unknown);
  EXPECT_FALSE(communication_of_kernel("void at::native::reduce_kernel<512>(float)"));
}

// What broadcasts moves bytes, whatever they are: "int8_t" says nothing.
TEST(CommunicationNames, TakesTypesOnlyOfKernelsThatReduce) {
  EXPECT_FALSE(communication_of_kernel("ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)")->type);
}

TEST(CommunicationNames, KnowsElementTypes) {
  EXPECT_EQ(element_type_named("BFloat16")->type, DataType::bf16);
  EXPECT_EQ(element_type_named("c10::Half")->type, DataType::fp16);
  EXPECT_EQ(element_type_named("Float8_e4m3fn")->type, DataType::fp8);
  EXPECT_EQ(element_type_named("Long")->bytes, 8);
  EXPECT_FALSE(element_type_named("Long")->type);
  EXPECT_FALSE(element_type_named("TensorList"));
}

// nccl-tests: all-gather counts what is gathered, reduce-scatter what is scattered.
TEST(CommunicationNames, CountsTheFullBuffer) {
  EXPECT_EQ(full_buffer(Kind::all_gather, 10, 80, 8), 80);
  EXPECT_EQ(full_buffer(Kind::all_gather, 10, -1, 8), 80);
  EXPECT_EQ(full_buffer(Kind::all_gather, 10, -1, 0), -1);
  EXPECT_EQ(full_buffer(Kind::reduce_scatter, 80, 10, 8), 80);
  EXPECT_EQ(full_buffer(Kind::all_reduce, 10, 10, 8), 10);
  EXPECT_EQ(full_buffer(Kind::gather, 10, 0, 8), 80);
  EXPECT_EQ(full_buffer(Kind::all_gather, INT64_MAX, -1, 8), -1);
}

TEST(CommunicationNames, CountsElementsOfShapes) {
  EXPECT_EQ(elements_of_shapes("[[2, 512], [768]]"), 1792);
  EXPECT_EQ(elements_of_shapes("[[[4,2],[3]],[],[]]"), 11);
  EXPECT_FALSE(elements_of_shapes("[[], []]"));
  EXPECT_FALSE(elements_of_shapes("[[9223372036854775807, 9223372036854775807]]"));
  EXPECT_FALSE(elements_of_shapes(""));
}

}  // namespace
}  // namespace quintet::pytorch
