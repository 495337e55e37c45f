// The operators' tests on a device whose streams run late (tests/engine/device): that they pass
// there shows that every argument is moved, in time, and comes back.
#include "tests/gpu/operators/staged_kernels.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/gpu/operators/host_memory.h"
#include "tests/kernels/support.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet {

namespace kernels {

namespace {

Device& device() {
  static const std::unique_ptr<Device> only = engine::fake_device();
  return *only;
}

std::unique_ptr<Kernels> make() {
  return gpu_tests::staged_kernels(device(), device().make_kernels(), gpu_tests::Guards::checked);
}

}  // namespace

std::vector<Implementation> implementations() {
  return {{"staged", make}};
}

}  // namespace kernels

namespace gpu_tests {
namespace {

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

TEST(HostMemory, FindsThePieceOfAnAddressInsideIt) {
  const std::vector<float> piece(10);
  const auto found = host_piece_at(number_of(piece.data() + 7));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, number_of(piece.data()));
  EXPECT_EQ(found->bytes, 40U);
}

TEST(HostMemory, KnowsNothingBeyondAPieceNorOfOneThatWasGivenBack) {
  auto piece = std::make_unique<double>();
  const std::uintptr_t address = number_of(piece.get());
  EXPECT_FALSE(host_piece_at(address + sizeof(double)));
  EXPECT_TRUE(host_piece_at(address));
  piece.reset();
  EXPECT_FALSE(host_piece_at(address));
  EXPECT_FALSE(host_piece_at(12345));
}

TEST(HostMemory, ANumberOnTheStackIsAPiece) {
  double number = 0.0;
  const auto found = host_piece_at(number_of(&number));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, number_of(&number));
  EXPECT_EQ(found->bytes, 8U);
}

// Says that it has one element fewer than the kernel is told of.
TEST(StagedKernels, TellThatAKernelWroteBeyondItsMemory) {
  const auto kernels = kernels::make();
  kernels::Stream stream;
  std::vector<float> sum(7);
  const std::vector<float> addend(8, 1.0F);
  EXPECT_THROW(kernels->accumulate({8, addend.data(), sum.data()}, stream), std::runtime_error);
}

// In-place and overlapping arguments are one piece, so they stay in place.
TEST(StagedKernels, ArgumentsInOnePieceStayInOnePiece) {
  const auto kernels = kernels::make();
  kernels::Stream stream;
  std::vector<float> values{1.0F, 2.0F, 3.0F, 4.0F};
  kernels->residual_add({2, values.data(), values.data() + 2, values.data()}, stream);
  EXPECT_EQ(values, (std::vector<float>{4.0F, 6.0F, 3.0F, 4.0F}));
}

}  // namespace
}  // namespace gpu_tests
}  // namespace quintet
