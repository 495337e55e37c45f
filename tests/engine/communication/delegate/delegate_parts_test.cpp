#include "engine/communication/delegate/delegate_parts.h"

#include <gtest/gtest.h>

#include "tests/stand_ins/fake_device.h"

namespace quintet::engine {
namespace {

class PinnedMemory : public testing::Test {
 protected:
  std::unique_ptr<kernels::Device> device_ = fake_device();
  PinnedBlocks blocks_{*device_};
};

TEST_F(PinnedMemory, WhatCameBackIsGivenOutAgain) {
  const auto first = blocks_.take(1000);
  const auto second = blocks_.take(1000);
  EXPECT_NE(first.data(), second.data());
  blocks_.give_back(first);
  EXPECT_EQ(blocks_.take(900).data(), first.data());
  EXPECT_EQ(blocks_.allocated(), 2000U);
}

TEST_F(PinnedMemory, TheSmallestThatFitsIsTaken) {
  const auto large = blocks_.take(1000);
  const auto small = blocks_.take(600);
  blocks_.give_back(large);
  blocks_.give_back(small);
  EXPECT_EQ(blocks_.take(550).data(), small.data());
}

// 499 bytes in a block of 1000 would leave more than half of it idle.
TEST_F(PinnedMemory, ALargeBlockIsKeptForLargeUse) {
  const auto large = blocks_.take(1000);
  blocks_.give_back(large);
  EXPECT_NE(blocks_.take(499).data(), large.data());
  EXPECT_EQ(blocks_.take(1000).data(), large.data());
}

}  // namespace
}  // namespace quintet::engine
