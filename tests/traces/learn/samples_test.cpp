// What is learnt of kernels and launches.
#include <gtest/gtest.h>

#include "tests/traces/learn/recordings.h"
#include "traces/learn/kernel_samples.h"
#include "traces/learn/launch_samples.h"

namespace quintet {
namespace {

using namespace test;

// 4096 rows of 1024 by a linear layer of 3072: the kernel's own 50 us, not the operation's 20.
TEST(KernelSamples, AProductIsItsOperationsShapeAndItsKernelsTime) {
  const RankTrace trace = kineto_of(
      operation("aten::linear", 1, 100, 30, "[[4096, 1024], [3072, 1024], [3072]]",
                R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])") +
      "," +
      operation("aten::addmm", 2, 102, 20, "[[3072], [4096, 1024], [1024, 3072], [], []]",
                R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])") +
      "," + launch(7, 2, 105, 5) + "," +
      kernel("sm90_xmma_gemm_bf16bf16_bf16f32", 7, 7, 2, 200, 50));
  const KernelSamples found = kernel_samples(trace);
  ASSERT_EQ(found.products.size(), 1u);
  EXPECT_EQ(found.products[0].shape, (ProductShape{4096, 3072, 1024}));
  EXPECT_EQ(found.products[0].type, DataType::bf16);
  EXPECT_NEAR(found.products[0].time.value, 50e-6, 1e-12);
  EXPECT_EQ(found.products[0].gpu, "NVIDIA H100 80GB HBM3");
}

// A kernel of another stream runs from 220 to 230, within the product's 200 to 250.
TEST(KernelSamples, AKernelThatSharesItsGpuIsLeftOutAndCounted) {
  const RankTrace trace =
      kineto_of(operation("aten::mm", 2, 102, 20, "[[64, 32], [32, 16]]", R"(["float", "float"])") +
                "," + launch(7, 2, 105, 5) + "," + kernel("gemm", 7, 7, 2, 200, 50) + "," +
                kernel("other", 8, 9, 3, 220, 10));
  const KernelSamples found = kernel_samples(trace);
  EXPECT_TRUE(found.products.empty());
  EXPECT_EQ(found.left_out,
            (std::vector<LeftOut>{{"operations whose kernels shared the GPU with others", 1}}));
}

// PyTorch's inner operation has length before heads; the second word behind the traits: causal.
TEST(KernelSamples, AttentionIsCausalAsItsKernelSays) {
  const auto with = [](const char* causal) {
    return kineto_of(
        operation("aten::_flash_attention_forward", 2, 102, 20,
                  "[[2, 512, 16, 64], [2, 512, 16, 64], [2, 512, 16, 64]]",
                  R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])") +
        "," + launch(7, 2, 105, 5) + "," +
        kernel(std::string("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_"
                           "traits<64, 128, 128, 4, cutlass::bfloat16_t, X<64, 1>>, false, ") +
                   causal + ", false, true>(Flash_fwd_params)",
               7, 7, 2, 200, 50));
  };
  const KernelSamples causal = kernel_samples(with("true")), full = kernel_samples(with("false"));
  ASSERT_EQ(causal.attentions.size(), 1u);
  ASSERT_EQ(full.attentions.size(), 1u);
  EXPECT_TRUE(causal.attentions[0].causal);
  EXPECT_FALSE(full.attentions[0].causal);
  EXPECT_EQ(causal.attentions[0].heads, 16);
  EXPECT_EQ(causal.attentions[0].length, 512);
  EXPECT_EQ(causal.attentions[0].head_dim, 64);
  EXPECT_TRUE(kernel_samples(with("maybe")).attentions.empty());
}

// Launches begin at 100, 110 and 125: 10 and 15 us. The second kernel was launched (at 114) before
// the first ended (at 120), and began 2 us after it; the third only at 129, and the second ended at
// 128.
TEST(LaunchSamples, GapsAreOfKernelsThatWereQueued) {
  const RankTrace trace =
      kineto_of(launch(1, 0, 100, 4) + "," + launch(2, 0, 110, 4) + "," + launch(3, 0, 125, 4) +
                "," + kernel("a", 7, 1, 0, 106, 14) + "," + kernel("b", 7, 2, 0, 122, 6) + "," +
                kernel("c", 7, 3, 0, 140, 6));
  const LaunchSamples found = launch_samples(trace);
  ASSERT_EQ(found.between.size(), 2u);
  EXPECT_NEAR(found.between[0].value, 10e-6, 1e-12);
  EXPECT_NEAR(found.between[1].value, 15e-6, 1e-12);
  ASSERT_EQ(found.gaps.size(), 1u);
  EXPECT_NEAR(found.gaps[0].value, 2e-6, 1e-12);
}

TEST(InputShapes, WhatIsNoneIsEmpty) {
  EXPECT_EQ(shapes_of("[[1, 512], [[], []], [], [7]]"),
            (std::vector<InputShape>{{1, 512}, {}, {}, {7}}));
  EXPECT_TRUE(shapes_of("]").empty());
  EXPECT_TRUE(shapes_of("[[1, 99999999999999999999]]").empty());
  EXPECT_TRUE(shapes_of(std::string(100000, '[')).empty());
  EXPECT_EQ(types_of("[Tensor(float), GenericList[Int,Int], c10::BFloat16]"),
            (std::vector<std::optional<DataType>>{DataType::fp32, std::nullopt, DataType::bf16}));
}

}  // namespace
}  // namespace quintet
