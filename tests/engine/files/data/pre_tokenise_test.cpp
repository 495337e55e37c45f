#include "engine/files/data/pre_tokenise.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet {
namespace {

using Words = std::vector<std::string>;

Words words_in(std::string_view text) {
  Words words;
  while (!text.empty()) {
    words.emplace_back(first_word(text));
    text.remove_prefix(words.back().size());
  }
  return words;
}

// Expected: re.findall of the pattern in openai/gpt-2's encoder.py, alternative by alternative.
TEST(FirstWord, AWordTakesOneSpaceBeforeIt) {
  EXPECT_EQ(words_in("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(words_in("a  b"), (Words{"a", " ", " b"}));
  EXPECT_EQ(words_in(" 12 ab!?"), (Words{" 12", " ab", "!?"}));
}

TEST(FirstWord, LettersNumbersAndTheRestArePartedFromEachOther) {
  EXPECT_EQ(words_in("x86_64"), (Words{"x", "86", "_", "64"}));
  EXPECT_EQ(words_in("na\u00EFve \u4E2D\u6587\u00B2"),
            (Words{"na\u00EFve", " \u4E2D\u6587", "\u00B2"}));
  EXPECT_EQ(words_in("e\u0301"), (Words{"e", "\u0301"}));  // a combining mark is no letter
}

TEST(FirstWord, ContractionsAreWordsWhenLowerCase) {
  EXPECT_EQ(words_in("I'll they've it's"), (Words{"I", "'ll", " they", "'ve", " it", "'s"}));
  EXPECT_EQ(words_in("IT'S"), (Words{"IT", "'", "S"}));
  EXPECT_EQ(words_in("'tis 'x"), (Words{"'t", "is", " '", "x"}));
  EXPECT_EQ(words_in("''s"), (Words{"''", "s"}));  // "'" and what follows is no space: one word
}

// \s+(?!\S) gives the last space back to the word; only " " can join it.
TEST(FirstWord, SpacesBeforeAWordStayTogetherButForTheLast) {
  EXPECT_EQ(words_in("a   b"), (Words{"a", "  ", " b"}));
  EXPECT_EQ(words_in("a\n\nb"), (Words{"a", "\n", "\n", "b"}));
  EXPECT_EQ(words_in("a \n b"), (Words{"a", " \n", " b"}));
  EXPECT_EQ(words_in("a \t"), (Words{"a", " \t"}));
  EXPECT_EQ(words_in("a\u00A0b"), (Words{"a", "\u00A0", "b"}));
  EXPECT_EQ(words_in("a\u3000\u3000b"), (Words{"a", "\u3000", "\u3000", "b"}));
  EXPECT_EQ(words_in(" "), Words{" "});
}

TEST(FirstWord, BytesThatAreNoTextAreKept) {
  EXPECT_EQ(words_in("a\xFF\x80 \xC3"), (Words{"a", "\xFF\x80", " \xC3"}));
}

}  // namespace
}  // namespace quintet
