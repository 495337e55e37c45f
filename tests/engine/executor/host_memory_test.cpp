#include "engine/device/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "engine/device/buffer.h"

namespace quintet::engine {
namespace {

bool on_cache_line(const std::byte* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 64 == 0;
}

TEST(HostMemories, GiveBlocksOnCacheLinesOfTheirOwn) {
  HostMemory memory;
  std::byte* const first = memory.take(3);
  std::byte* const second = memory.take(1000);
  EXPECT_TRUE(on_cache_line(first));
  EXPECT_TRUE(on_cache_line(second));
  EXPECT_GE(std::abs(second - first), 64);
  std::memset(second, 1, 1000);
  memory.give_back(first);
  memory.give_back(second);
}

TEST(HostMemories, GiveAgainWhatCameBack) {
  HostMemory memory;
  std::byte* const first = memory.take(5000);
  memory.give_back(first);
  EXPECT_EQ(memory.take(5000), first);
  memory.give_back(first);
}

// A piece has 64 MiB unless more is asked for at once.
TEST(HostMemories, GrowByWhatIsAskedFor) {
  HostMemory memory;
  constexpr std::size_t bytes = std::size_t{200} << 20;
  std::byte* const large = memory.take(bytes);
  large[0] = large[bytes - 1] = std::byte{1};
  std::byte* const small = memory.take(64);
  EXPECT_TRUE(small + 64 <= large || small >= large + bytes);
  memory.give_back(small);
  memory.give_back(large);
}

TEST(HostMemories, ABufferGivesItsBlockBackWhenItGoes) {
  HostMemory memory;
  Buffer kept(memory, 100, DataType::fp32);
  float* const block = kept.floats();
  kept = {};
  const Buffer next(memory, 100, DataType::fp32);
  EXPECT_EQ(next.floats(), block);
}

}  // namespace
}  // namespace quintet::engine
