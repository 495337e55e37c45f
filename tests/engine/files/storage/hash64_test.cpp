#include "engine/files/storage/hash64.h"

#include <gtest/gtest.h>

#include <vector>

namespace quintet {
namespace {

std::string pattern(std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(i % 251);
  return text;
}

// XXH64 of libxxhash 0.8.1 (Debian's libxxhash0), called through ctypes: every tail length class.
TEST(Hash64, GivesTheValuesOfTheXxhashLibrary) {
  EXPECT_EQ(hash64(std::string_view("")), 0xef46db3751d8e999);
  EXPECT_EQ(hash64(std::string_view("a")), 0xd24ec4f1a98c6e5b);
  EXPECT_EQ(hash64(std::string_view("abc")), 0x44bc2cf5ad770999);
  EXPECT_EQ(hash64(pattern(32)), 0xcbf59c5116ff32b4);
  EXPECT_EQ(hash64(pattern(39)), 0xa396ef1679a859);
  EXPECT_EQ(hash64(pattern(101)), 0xe99038495f85381e);
  EXPECT_EQ(hash64(pattern(101), 2654435761), 0xa1c6d4174c37136d);
}

TEST(Hash64, EveryFlippedBitIsSeen) {
  std::string text = pattern(75);
  const std::uint64_t whole = hash64(text);
  for (std::size_t i = 0; i < 8 * text.size(); ++i) {
    text[i / 8] = static_cast<char>(text[i / 8] ^ (1 << i % 8));
    EXPECT_NE(hash64(text), whole);
    text[i / 8] = static_cast<char>(text[i / 8] ^ (1 << i % 8));
  }
}

TEST(Hexadecimal, IsSixteenDigitsBothWays) {
  EXPECT_EQ(hexadecimal(0xef46db3751d8e999), "ef46db3751d8e999");
  EXPECT_EQ(hexadecimal(10), "000000000000000a");
  EXPECT_EQ(parse_hexadecimal("000000000000000a"), 10u);
  for (const char* wrong : {"a", "000000000000000g", "0000000000000000a", "", "-00000000000000a"})
    EXPECT_EQ(parse_hexadecimal(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace quintet
