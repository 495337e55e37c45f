#include "engine/files/data/byte_pair_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "engine/files/data/tokenizer.h"
#include "engine/files/data/tokenizer_file.h"
#include "tests/engine/files/data/small_vocabulary.h"

namespace quintet {
namespace {

using Ids = std::vector<TokenId>;

const std::string end_of_text =
    R"([{"id": 262, "content": "<|endoftext|>", "special": true, "single_word": false}])";

BytePairEncoder hello_encoder() {
  Result<BytePairEncoder> encoder =
      parse_tokenizer(hello_vocabulary().tokenizer_json(end_of_text), "tokenizer.json");
  if (!encoder) throw std::runtime_error(encoder.error().text());
  return std::move(*encoder);
}

// hello: ll, then he, then hell, then hello = 259. " world": "or" (rank 4) goes before " w" (5);
// "l" and "d" have no partner.
TEST(BytePairEncoder, MergesInTheOrderOfLearning) {
  BytePairEncoder encoder = hello_encoder();
  EXPECT_EQ(encoder.encode("hello world"), (Ids{259, 261, 260, 'l', 'd'}));
  EXPECT_EQ(encoder.encode("hel"), (Ids{257, 'l'}));
  EXPECT_EQ(encoder.encode("lll"), (Ids{256, 'l'}));  // the leftmost of equals
  EXPECT_EQ(encoder.encode(""), Ids{});
}

// "h" ends a word at "'": no merge reaches across words.
TEST(BytePairEncoder, NoMergeReachesAcrossWords) {
  BytePairEncoder encoder = hello_encoder();
  EXPECT_EQ(encoder.encode("h e"), (Ids{'h', ' ', 'e'}));
  EXPECT_EQ(encoder.encode("o\nw"), (Ids{'o', '\n', 'w'}));
}

TEST(BytePairEncoder, SpecialTokensAreOneTokenOrPlainTextAsAsked) {
  BytePairEncoder encoder = hello_encoder();
  EXPECT_EQ(encoder.encode("he<|endoftext|>he<|endoftext|>"), (Ids{257, 262, 257, 262}));
  const Ids plain = encoder.encode("<|endoftext|>", SpecialTokens::as_text);
  EXPECT_EQ(plain.size(), 13u);
  EXPECT_EQ(encoder.encode("<|endoftext|"), Ids(plain.begin(), plain.end() - 1));
}

TEST(BytePairEncoder, OfSpecialTokensAtOnePlaceTheLongestWins) {
  Result<BytePairEncoder> encoder =
      parse_tokenizer(hello_vocabulary().tokenizer_json(
                          R"([{"id": 262, "content": "<a"}, {"id": 263, "content": "<a>"}])"),
                      "tokenizer.json");
  ASSERT_TRUE(encoder) << encoder.error().text();
  EXPECT_EQ(encoder->encode("<a><a."), (Ids{263, 262, '.'}));
}

std::string random_bytes(std::mt19937& random, std::size_t length, unsigned least, unsigned most) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i)
    text += static_cast<char>(least + random() % (most - least + 1));
  return text;
}

TEST(BytePairEncoder, AnyBytesComeBack) {
  BytePairEncoder encoder = hello_encoder();
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = i % 2 == 0 ? random_bytes(random, random() % 200, 0, 255)
                                        : random_bytes(random, random() % 200, 'd', 'w');
    const Result<std::string> again = encoder.decode(encoder.encode(text));
    ASSERT_TRUE(again);
    ASSERT_EQ(*again, text);
  }
}

TEST(BytePairEncoder, AnIdThatIsNoTokenIsRefused) {
  const Result<std::string> text = hello_encoder().decode({257, 263});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(), (Error{"token 1", "263 is no id of this vocabulary"}));
}

// As encoder.py's bpe() does it: find the best pair of the word, merge all its occurrences, again.
Ids merged_as_in_encoder_py(Ids word, const std::vector<Merge>& merges) {
  for (;;) {
    std::size_t best = merges.size();
    for (std::size_t i = 0; i + 1 < word.size(); ++i)
      for (std::size_t rank = 0; rank < best; ++rank)
        if (merges[rank].left == word[i] && merges[rank].right == word[i + 1]) best = rank;
    if (best == merges.size()) return word;
    Ids next;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const bool pair =
          i + 1 < word.size() && word[i] == merges[best].left && word[i + 1] == merges[best].right;
      next.push_back(pair ? merges[best].merged : word[i]);
      if (pair) ++i;
    }
    word = next;
  }
}

// A vocabulary over a, b, c in which each merge joins two tokens known before, as training does.
Vocabulary random_vocabulary(std::mt19937& random) {
  Vocabulary vocabulary;
  for (TokenId byte = 0; byte < 256; ++byte)
    vocabulary.tokens[byte] = std::string(1, static_cast<char>(byte));
  std::vector<TokenId> known{'a', 'b', 'c'};
  for (TokenId id = 256; id < 286; ++id) {
    const TokenId left = known[random() % known.size()], right = known[random() % known.size()];
    vocabulary.merges.push_back({left, right, id});
    vocabulary.tokens[id] = vocabulary.tokens[left] + vocabulary.tokens[right];
    known.push_back(id);
  }
  return vocabulary;
}

TEST(BytePairEncoder, MergesAsGpt2sOwnEncoderDoes) {
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    const Vocabulary vocabulary = random_vocabulary(random);
    const Result<BytePairEncoder> encoder = BytePairEncoder::make(vocabulary, "random");
    ASSERT_TRUE(encoder);
    for (int i = 0; i < 50; ++i) {
      const std::string word = random_bytes(random, 1 + random() % 40, 'a', 'c');
      ASSERT_EQ(encoder->merged(word),
                merged_as_in_encoder_py(Ids(word.begin(), word.end()), vocabulary.merges))
          << word;
    }
  }
}

// Merging by scanning again after each merge would take 1e11 comparisons.
TEST(BytePairEncoder, AWordOfAMillionLettersTakesNoSquareTime) {
  BytePairEncoder encoder = hello_encoder();
  const Ids ids = encoder.encode(std::string(1'000'000, 'l'));
  EXPECT_EQ(ids, Ids(500'000, 256));
}

TEST(ByteLevel, EveryByteIsItsOwnToken) {
  Tokenizer tokenizer = ByteLevel{};
  EXPECT_EQ(encode(tokenizer, "A\xFF"), (Ids{65, 255}));
  EXPECT_EQ(*decode(tokenizer, {65, 255}), "A\xFF");
  EXPECT_EQ(vocabulary_size(tokenizer), 256);
  EXPECT_FALSE(decode(tokenizer, {256}));
  EXPECT_EQ(vocabulary_size(hello_encoder()), 263);
}

}  // namespace
}  // namespace quintet
