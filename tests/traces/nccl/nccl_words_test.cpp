#include "traces/nccl/nccl_words.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using enum CommunicationKind;

TEST(NcclWords, KernelsTellKindTypeAlgorithmAndProtocol) {
  struct Case {
    const char* name;
    CommunicationKind kind;
    std::optional<DataType> type;
    const char* detail;
  };
  const Case cases[] = {
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL128(ncclDevKernelArgsStorage<4096ul>)", all_reduce,
       DataType::bf16, "ring LL128"},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", all_reduce,
       DataType::fp32, "ring LL"},
      {"ncclKernel_ReduceScatter_RING_SIMPLE_Sum___nv_bfloat16(ncclDevComm*)", reduce_scatter,
       DataType::bf16, "ring simple"},
      {"ncclAllReduceTreeLLKernel_sum_f32(ncclColl)", all_reduce, DataType::fp32, "tree LL"},
      {"ncclDevKernel_AllGather_NVLS_SIMPLE(x)", all_gather, std::nullopt, "nvls simple"},
      {"ncclDevKernel_AllReduce_Sum_f16_NVLS_TREE_SIMPLE(x)", all_reduce, DataType::fp16,
       "nvls-tree simple"},
      {"ncclDevKernel_AllReduce_Sum_u8_COLLNET_DIRECT_SIMPLE(x)", all_reduce, DataType::int8,
       "collnet-direct simple"},
      {"ncclDevKernel_AllReduce_Sum_i64_TREE_LL(x)", all_reduce, std::nullopt, "tree LL"},
      {"ncclDevKernel_Broadcast_RING_LL(x)", broadcast, std::nullopt, "ring LL"},
      {"ncclDevKernel_Reduce_Sum_f32_RING_LL(x)", reduce, DataType::fp32, "ring LL"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)", send_and_receive, std::nullopt, ""},
      {"ncclDevKernel_Generic_4(x)", unknown, std::nullopt, ""},
  };
  for (const Case& each : cases) {
    const auto found = communication_of_kernel(each.name);
    ASSERT_TRUE(found) << each.name;
    EXPECT_EQ(found->kind, each.kind) << each.name;
    EXPECT_EQ(found->type_known ? std::optional(found->type) : std::nullopt, each.type)
        << each.name;
    EXPECT_EQ(found->detail, each.detail) << each.name;
  }
}

TEST(NcclWords, OtherKernelsAreNone) {
  for (const char* const name :
       {"void gemm<float>(int)", "ncclCommInitRank", "AllReduceKernel", ""})
    EXPECT_FALSE(communication_of_kernel(name)) << name;
}

TEST(NcclWords, CallsHaveManySpellings) {
  for (const char* const name : {"ncclAllGather", "_allgather_base", "allgather_into_tensor",
                                 "ALL_GATHER", "all-gather", "allgather_into_tensor_coalesced"})
    EXPECT_EQ(communication_named(name), all_gather) << name;
  EXPECT_EQ(communication_named("reduce_scatter_tensor"), reduce_scatter);
  EXPECT_EQ(communication_named("ncclRecv"), receive);
  EXPECT_EQ(communication_named("ncclCommDestroy"), unknown);
  EXPECT_EQ(communication_named(""), unknown);
}

TEST(NcclWords, TypesByNumberAndName) {
  EXPECT_EQ(nccl_type(std::int64_t{7})->type, DataType::fp32);
  EXPECT_EQ(nccl_type(std::int64_t{9})->type, DataType::bf16);
  EXPECT_EQ(nccl_type(std::int64_t{4})->bytes, 8);
  EXPECT_FALSE(nccl_type(std::int64_t{12}));
  EXPECT_FALSE(nccl_type(std::int64_t{-1}));
  EXPECT_EQ(nccl_type("ncclFloat16")->type, DataType::fp16);
  EXPECT_EQ(nccl_type("Long")->bytes, 8);
  EXPECT_FALSE(nccl_type("complex"));
}

// NCCL counts what a rank gives or gets; of 4 ranks the full buffer of these is 4 times that.
TEST(NcclWords, SizesAreFullBuffers) {
  const auto counted = [](CommunicationKind kind, std::int64_t ranks) {
    RecordedCommunication made{.kind = kind};
    set_counted(made, 400, nccl_type("float"), ranks);
    return std::tuple(made.size.value, made.elements_in, made.elements_out);
  };
  EXPECT_EQ(counted(all_reduce, 4), std::tuple(400.0, 100, 100));
  EXPECT_EQ(counted(all_gather, 4), std::tuple(1600.0, 100, 400));
  EXPECT_EQ(counted(reduce_scatter, 4), std::tuple(1600.0, 400, 100));
  EXPECT_EQ(counted(all_to_all, 4), std::tuple(1600.0, 400, 400));
  EXPECT_EQ(counted(send, 4), std::tuple(400.0, 100, 100));
  EXPECT_EQ(counted(all_gather, 0), std::tuple(-1.0, 100, -1));
}

}  // namespace
}  // namespace quintet
