#include "engine/files/data/characters.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <map>

#include "engine/files/data/byte_symbols.h"

namespace quintet {
namespace {

// General categories as UnicodeData.txt gives them.
TEST(CharacterClass, FollowsTheGeneralCategory) {
  EXPECT_EQ(class_of(U'a'), CharacterClass::letter);
  EXPECT_EQ(class_of(U'\u00AA'), CharacterClass::letter);      // feminine ordinal, Lo
  EXPECT_EQ(class_of(U'\u4E2D'), CharacterClass::letter);      // inside a range given by its ends
  EXPECT_EQ(class_of(U'\U0001D400'), CharacterClass::letter);  // mathematical bold A, Lu
  EXPECT_EQ(class_of(U'7'), CharacterClass::number);
  EXPECT_EQ(class_of(U'\u00B2'), CharacterClass::number);  // superscript two, No
  EXPECT_EQ(class_of(U'\u2163'), CharacterClass::number);  // Roman numeral four, Nl
  EXPECT_EQ(class_of(U'\u0660'), CharacterClass::number);  // Arabic-Indic zero, Nd
  EXPECT_EQ(class_of(U'\n'), CharacterClass::space);
  EXPECT_EQ(class_of(U'\u00A0'), CharacterClass::space);
  EXPECT_EQ(class_of(U'\u3000'), CharacterClass::space);
  EXPECT_EQ(class_of(U'_'), CharacterClass::other);
  EXPECT_EQ(class_of(U'\u0301'), CharacterClass::other);      // combining acute, Mn
  EXPECT_EQ(class_of(U'\u200B'), CharacterClass::other);      // zero width space is Cf
  EXPECT_EQ(class_of(U'\U0001F600'), CharacterClass::other);  // a face, So
}

// Python's unicodedata 14.0.0 counts 131,756 letters, 1,791 numbers, and PropList.txt 25 spaces.
// Unicode 15.0 adds 4,348 letters (4,192 of them ideographs of extension H) and 40 numbers (Kawi,
// Kaktovik, Nag Mundari).
TEST(CharacterClass, HoldsAsManyCharactersAsPythonCounts) {
  if (std::string_view(utf8proc_unicode_version()) != "15.0.0")
    GTEST_SKIP() << "utf8proc knows another Unicode than 15.0: " << utf8proc_unicode_version();
  std::map<CharacterClass, int> count;
  for (char32_t point = 0; point <= 0x10FFFF; ++point) ++count[class_of(point)];
  EXPECT_EQ(count[CharacterClass::letter], 131756 + 4348);
  EXPECT_EQ(count[CharacterClass::number], 1791 + 40);
  EXPECT_EQ(count[CharacterClass::space], 25);
}

TEST(Utf8, WhatIsNoCharacterIsOneByte) {
  const auto point = [](std::string_view text) { return first_character(text).code_point; };
  EXPECT_EQ(point("\xF0\x9F\x98\x80"), U'\U0001F600');
  EXPECT_EQ(point("\xC0\x80"), std::nullopt);          // overlong zero
  EXPECT_EQ(point("\xED\xA0\x80"), std::nullopt);      // a surrogate
  EXPECT_EQ(point("\xF4\x90\x80\x80"), std::nullopt);  // above U+10FFFF
  EXPECT_EQ(point("\xE4\xB8"), std::nullopt);          // cut off
  EXPECT_EQ(point("\x80"), std::nullopt);
  EXPECT_EQ(first_character("\xE4\xB8").length, 1u);
}

TEST(Utf8, EveryCodePointIsReadAsItIsWritten) {
  for (char32_t expected = 0; expected <= 0x10FFFF; ++expected) {
    if (expected >= 0xD800 && expected <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, expected);
    const Utf8Character read = first_character(text);
    ASSERT_EQ(read.code_point, expected);
    ASSERT_EQ(read.length, text.size());
  }
}

// encoder.py: space is U+0120, newline U+010A, 0x7F comes 34th of those that do not print, 0xAD
// last.
TEST(ByteSymbols, AreThoseOfGpt2) {
  EXPECT_EQ(symbol_of(' '), U'\u0120');
  EXPECT_EQ(symbol_of('\n'), U'\u010A');
  EXPECT_EQ(symbol_of('A'), U'A');
  EXPECT_EQ(symbol_of(0x7F), U'\u0121');
  EXPECT_EQ(symbol_of(0xAD), U'\u0143');
  EXPECT_EQ(symbol_of(0xFF), U'\u00FF');
}

TEST(ByteSymbols, EveryByteComesBack) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  EXPECT_EQ(bytes_of_symbols(symbols_of_bytes(bytes)), bytes);
  EXPECT_EQ(bytes_of_symbols(" "), std::nullopt);
  EXPECT_EQ(bytes_of_symbols("\u0144"), std::nullopt);
}

}  // namespace
}  // namespace quintet
