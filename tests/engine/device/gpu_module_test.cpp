// Loading the GPU's part where there may be none.
#include "engine/device/gpu_module.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace quintet::engine {
namespace {

class GpuModules : public testing::Test {
 protected:
  void TearDown() override { unsetenv("QUINTET_CUDA_MODULE"); }
};

TEST_F(GpuModules, AMissingModuleIsNamedWithItsPlace) {
  setenv("QUINTET_CUDA_MODULE", "/nowhere/libquintet_cuda.so", 1);
  const auto gpu = open_gpu(0);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().text(),
            "this build has no GPU module: there is no /nowhere/libquintet_cuda.so (it is built "
            "where CMake finds CUDA 13)");
  EXPECT_EQ(count_gpus(), 0);
}

TEST_F(GpuModules, AnotherLibraryIsRefused) {
  setenv("QUINTET_CUDA_MODULE", QUINTET_OTHER_LIBRARY, 1);
  const auto gpu = open_gpu(0);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().text(),
            std::string(QUINTET_OTHER_LIBRARY) + ": is not Quintet's GPU module");
}

// Before the first context is made: CUDA reads it then, and never again. Few connections hold up
// pipelines, whoever asked for them.
TEST_F(GpuModules, AGpuIsAskedForAllConnectionsWhateverWasGiven) {
  setenv("QUINTET_CUDA_MODULE", QUINTET_FAKE_GPU, 1);
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  ASSERT_TRUE(open_gpu(0));
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "32");
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
  ASSERT_TRUE(open_gpu(0));
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "32");
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
}

TEST_F(GpuModules, ConnectionsThatAreNotKeptAreSpokenOf) {
  EXPECT_EQ(connections_remark(std::nullopt), std::nullopt);
  EXPECT_EQ(connections_remark("32"), std::nullopt);
  EXPECT_EQ(
      connections_remark("1"),
      "CUDA_DEVICE_MAX_CONNECTIONS=1 is not kept: 32 is taken instead. With fewer connections "
      "than streams, a message that is waited for holds up what its sender waits for, and "
      "pipelines stand still.");
}

TEST_F(GpuModules, TheModuleSaysWhyThereIsNoGpu) {
#ifndef QUINTET_CUDA_MODULE_BUILT
  GTEST_SKIP() << "this build has no GPU module (no CUDA 13)";
#else
  setenv("QUINTET_CUDA_MODULE", QUINTET_CUDA_MODULE_BUILT, 1);
  if (count_gpus() > 0)
    GTEST_SKIP() << "this machine has a GPU: what is said without one is not heard";
  const auto gpu = open_gpu(0);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().text().substr(0, 8), "no GPU: ");
  EXPECT_NE(gpu.error().text().find("NVIDIA"), std::string::npos) << gpu.error().text();
#endif
}

}  // namespace
}  // namespace quintet::engine
