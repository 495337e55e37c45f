// Memory of a device that is given back while queued work still uses it.
#include <gtest/gtest.h>

#include "engine/device/arena.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet::engine {
namespace {

std::byte* address(std::uintptr_t number) {
  return reinterpret_cast<std::byte*>(number);
}

const FreeBlocks::Welcome everybody = [](const Places&) { return true; };
const FreeBlocks::Welcome unused = [](const Places& used) { return used == Places{}; };

TEST(FreeBlocks, GiveTheSmallestThatFits) {
  FreeBlocks blocks;
  blocks.add(address(0x10000), 1024);
  blocks.add(address(0x20000), 512);
  EXPECT_EQ(blocks.take(300, everybody)->memory, address(0x20000));
  EXPECT_EQ(blocks.take(600, everybody)->memory, address(0x10000));  // rounded to 768
  EXPECT_EQ(blocks.take(200, everybody)->memory, address(0x10000 + 768));
  EXPECT_FALSE(blocks.take(1, everybody));
  EXPECT_EQ(blocks.in_use(), 512U + 768U + 256U);
}

TEST(FreeBlocks, NeighboursBecomeOneButNotAcrossPieces) {
  FreeBlocks blocks;
  blocks.add(address(0x10000), 1024);
  blocks.add(address(0x10400), 1024);  // directly behind, but memory of its own
  std::byte* const first = blocks.take(512, everybody)->memory;
  std::byte* const second = blocks.take(512, everybody)->memory;
  EXPECT_FALSE(blocks.take(2048, everybody));
  blocks.give_back(first, {}, everybody);
  blocks.give_back(second, {}, everybody);
  EXPECT_EQ(blocks.take(1024, everybody)->memory, address(0x10000));
  EXPECT_EQ(blocks.peak(), 1024U);
}

TEST(FreeBlocks, WhatIsWelcomeComesFirstAndStaysApart) {
  FreeBlocks blocks;
  blocks.add(address(0x10000), 1024);
  std::byte* const used = blocks.take(512, unused)->memory;
  blocks.give_back(used, {7}, unused);
  // Both halves would do; the second was never used.
  EXPECT_EQ(blocks.take(256, unused)->memory, address(0x10200));
  // Only the used one is left that is large enough: it says by whom.
  const auto taken = blocks.take(512, unused);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->memory, used);
  EXPECT_EQ(taken->used, (Places{7}));
}

TEST(FreeBlocks, AllBecomeOneWhenTheyMust) {
  FreeBlocks blocks;
  blocks.add(address(0x10000), 1024);
  std::byte* const used = blocks.take(512, unused)->memory;
  blocks.give_back(used, {7}, unused);
  EXPECT_EQ(blocks.take(1024, unused)->used, (Places{7}));
}

// Lane 0 fills a block late and gives it back at once; lane 1 gets the same memory and fills it
// with something else, which must be what is there in the end.
TEST(Arena, WhoeverTakesABlockComesAfterThoseWhoUsedIt) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto device = fake_device({seed});
    Streams streams(*device, std::vector<kernels::Urgency>(2));
    Arena arena(*device, streams, {.first = 256, .more = 0});
    auto* const numbers = static_cast<int*>(device->allocate_pinned(3 * sizeof(int)));
    numbers[0] = 1;
    numbers[1] = 2;
    arena.enter(0);
    std::byte* first = nullptr;
    {
      const Loan block(arena, 256);
      first = block.memory();
      device->copy(first, &numbers[0], sizeof(int), streams.stream(0));
    }
    arena.enter(1);
    const Loan block(arena, 256);
    ASSERT_EQ(block.memory(), first);
    device->copy(block.memory(), &numbers[1], sizeof(int), streams.stream(1));
    streams.order(0, {0, streams.next(1)});
    device->copy(&numbers[2], first, sizeof(int), streams.stream(0));
    device->synchronise(streams.stream(0));
    EXPECT_EQ(numbers[2], 2) << "seed " << seed;
  }
}

TEST(Arena, SaysWhatDidNotFit) {
  const auto device = fake_device({1, 1024});
  Streams streams(*device, std::vector<kernels::Urgency>(1));
  Arena arena(*device, streams, {.first = 0, .more = 512});
  const Loan block(arena, 300);
  EXPECT_EQ(arena.taken(), 512U);
  try {
    arena.take(1000);
    FAIL() << "1000 bytes of 1024 of which 512 are taken";
  } catch (const std::runtime_error& full) {
    EXPECT_STREQ(full.what(),
                 "the device's memory is full: 1000 bytes more than the 512 in use do not fit into "
                 "the 512 that it gave");
  }
}

// 4 MiB are wanted, 3 MiB are left: half of the 4 are taken, and then half of half.
TEST(Arena, ReservesWhatThereIs) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const auto device = fake_device({1, 3 * mebibyte});
  Streams streams(*device, std::vector<kernels::Urgency>(1));
  Arena arena(*device, streams, {.first = 0, .more = 4 * mebibyte});
  arena.reserve();
  EXPECT_EQ(arena.taken(), 2 * mebibyte);
  arena.reserve();
  EXPECT_EQ(arena.taken(), 3 * mebibyte);
}

TEST(Streams, KnowWhatTheyComeAfter) {
  const auto device = fake_device();
  Streams streams(*device, std::vector<kernels::Urgency>(3));
  const Places of_first{streams.next(0)};
  EXPECT_FALSE(streams.ordered(1, of_first));
  EXPECT_TRUE(streams.ordered(0, of_first));
  streams.order(1, of_first);
  EXPECT_TRUE(streams.ordered(1, of_first));
  streams.order(2, {0, streams.next(1)});  // and so after the first, too
  EXPECT_TRUE(streams.ordered(2, of_first));
  EXPECT_FALSE(streams.ordered(2, {streams.next(0)}));  // not what the first does next
}

}  // namespace
}  // namespace quintet::engine
