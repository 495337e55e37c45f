// What the environment allows of the CPU's instruction sets (kernels/cpu/targets.h).
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/cpu/targets.h"

namespace quintet::kernels {
namespace {

class CpuLimits : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* const word = std::getenv("QUINTET_CPU_ISA")) before_ = word;
  }
  void TearDown() override {
    if (before_)
      setenv("QUINTET_CPU_ISA", before_->c_str(), 1);
    else
      unsetenv("QUINTET_CPU_ISA");
  }
  std::optional<std::string> before_;
};

TEST_F(CpuLimits, RestrictWhatIsFastest) {
  setenv("QUINTET_CPU_ISA", "portable", 1);
  EXPECT_EQ(fastest_target(), CpuTarget::portable);
  setenv("QUINTET_CPU_ISA", "avx2", 1);
  const bool avx2 = runs_here(CpuTarget::fused_avx2);
  EXPECT_EQ(fastest_target(), avx2 ? CpuTarget::fused_avx2 : CpuTarget::portable);
  setenv("QUINTET_CPU_ISA", "avx512", 1);
  const bool avx512 = runs_here(CpuTarget::fused_avx512);
  if (!avx512) GTEST_SKIP() << "this CPU has no AVX-512 (F, BW, DQ, VL)";
  EXPECT_EQ(fastest_target(), CpuTarget::fused_avx512);
}

TEST_F(CpuLimits, AreAllThatTheCpuHasWhereNothingIsSaid) {
  unsetenv("QUINTET_CPU_ISA");
  EXPECT_EQ(cpu_limit(), std::nullopt);
  EXPECT_EQ(wrong_cpu_limit(), std::nullopt);
}

TEST_F(CpuLimits, OfAnUnknownWordAreRefusedByName) {
  setenv("QUINTET_CPU_ISA", "sse9", 1);
  EXPECT_EQ(cpu_limit(), std::nullopt);
  EXPECT_EQ(wrong_cpu_limit(),
            "QUINTET_CPU_ISA is \"sse9\": one of portable, avx2, avx512, avx512_bf16, amx");
}

}  // namespace
}  // namespace quintet::kernels
