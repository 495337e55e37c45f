#include "engine/files/data/tokenizer_file.h"

#include <gtest/gtest.h>

#include "tests/engine/files/data/small_vocabulary.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

using Ids = std::vector<TokenId>;

std::string with(std::string text, const std::string& found, const std::string& replacement) {
  const std::size_t at = text.find(found);
  if (at == std::string::npos) throw std::runtime_error("not found: " + found);
  return text.replace(at, found.size(), replacement);
}

std::string complaint(const std::string& json) {
  const Result<BytePairEncoder> encoder = parse_tokenizer(json, "t.json");
  return encoder ? "accepted" : encoder.error().text();
}

TEST(TokenizerFile, BothKindsOfFileGiveTheSameTokens) {
  const SmallVocabulary vocabulary = hello_vocabulary();
  const TemporaryFolder folder;
  write_bytes(folder.path() / "vocab.json", vocabulary.vocabulary_json());
  write_bytes(folder.path() / "merges.txt", vocabulary.merges_text());
  Result<BytePairEncoder> from_two = read_tokenizer(folder.path());
  ASSERT_TRUE(from_two) << from_two.error().text();
  EXPECT_EQ(from_two->encode("hello world"), (Ids{259, 261, 260, 'l', 'd'}));
  write_bytes(folder.path() / "tokenizer.json", vocabulary.tokenizer_json());
  Result<BytePairEncoder> from_one = read_tokenizer(folder.path());
  ASSERT_TRUE(from_one) << from_one.error().text();
  EXPECT_EQ(from_one->encode("hello world"), from_two->encode("hello world"));
}

TEST(TokenizerFile, MergesMayBePairs) {
  const std::string json = with(hello_vocabulary().tokenizer_json(), R"("l l")", R"(["l", "l"])");
  Result<BytePairEncoder> encoder = parse_tokenizer(json, "t.json");
  ASSERT_TRUE(encoder) << encoder.error().text();
  EXPECT_EQ(encoder->encode("ll"), Ids{256});
}

TEST(TokenizerFile, AMissingByteIsNamed) {
  EXPECT_EQ(complaint(with(hello_vocabulary().tokenizer_json(), "\"A\": 65, ", "")),
            "t.json: no token for the byte 65; a byte-level vocabulary holds all 256");
}

TEST(TokenizerFile, AMergeOfUnknownTokensIsNamed) {
  EXPECT_EQ(complaint(with(hello_vocabulary().tokenizer_json(), R"("o r")", R"("o x")")),
            "t.json: merge 4: \"ox\" is not in the vocabulary");
  EXPECT_EQ(complaint(with(hello_vocabulary().tokenizer_json(), R"("o r")", R"("or")")),
            "t.json: merge 4: expected two symbols with a space between, found \"or\"");
  EXPECT_EQ(complaint(with(hello_vocabulary().tokenizer_json(), R"("o r")", "7")),
            "t.json: merge 4: expected \"left right\" or [\"left\", \"right\"]");
}

TEST(TokenizerFile, AnIdTwiceOrOutOfRangeIsRefused) {
  const std::string json = hello_vocabulary().tokenizer_json();
  EXPECT_EQ(complaint(with(json, "\"hell\": 258", "\"hell\": 257")),
            "t.json: \"hell\": the id 257 belongs to another token too");
  EXPECT_EQ(complaint(with(json, "\"hell\": 258", "\"hell\": -1")),
            "t.json: \"hell\": expected an id from 0 to 16777215, found -1");
  EXPECT_EQ(complaint(with(json, "\"hell\": 258", "\"hell\": 16777216")),
            "t.json: \"hell\": expected an id from 0 to 16777215, found 16777216");
}

TEST(TokenizerFile, OtherTokenizersAreRefusedByName) {
  const std::string json = hello_vocabulary().tokenizer_json();
  EXPECT_EQ(complaint(with(json, R"("type": "BPE")", R"("type": "Unigram")")),
            "t.json: model.type: found \"Unigram\"; supported is \"BPE\", as GPT-2 has");
  EXPECT_EQ(complaint(with(json, R"("type": "ByteLevel")", R"("type": "Metaspace")")),
            "t.json: pre_tokenizer.type: found \"Metaspace\"; supported is \"ByteLevel\", as "
            "GPT-2 has");
  EXPECT_EQ(complaint(with(json, R"("add_prefix_space": false)", R"("add_prefix_space": true)")),
            "t.json: pre_tokenizer.add_prefix_space: is not supported; expected a byte-level "
            "tokenizer as GPT-2 has");
  EXPECT_EQ(complaint(with(json, R"("normalizer": null)", R"("normalizer": {"type": "NFC"})")),
            "t.json: normalizer: is not supported; expected a byte-level tokenizer as GPT-2 has");
}

TEST(TokenizerFile, SpecialTokensMustAgreeWithTheVocabulary) {
  const auto added = [](const std::string& list) {
    return complaint(hello_vocabulary().tokenizer_json(list));
  };
  EXPECT_EQ(added(R"([{"id": 300, "content": "two words"}])"), "accepted");
  EXPECT_EQ(added(R"([{"id": 259, "content": "hello"}])"), "accepted");
  EXPECT_EQ(added(R"([{"id": 258, "content": "hello"}])"),
            "t.json: added_tokens[0].id: 258 disagrees with the vocabulary");
  EXPECT_EQ(added(R"([{"id": 258, "content": "new"}])"),
            "t.json: added_tokens[0].id: 258 disagrees with the vocabulary");
  EXPECT_EQ(added(R"([{"id": 300, "content": ""}])"), "t.json: added_tokens[0].content: is empty");
}

TEST(TokenizerFile, ACharacterThatStandsForNoByteIsRefused) {
  const std::string json =
      with(hello_vocabulary().tokenizer_json(), "\"hell\": 258", "\"hell\": 258, \"\u2581\": 400");
  EXPECT_EQ(complaint(json),
            "t.json: \"\u2581\": holds a character that stands for no byte; expected a byte-level "
            "vocabulary, as GPT-2 has");
}

}  // namespace
}  // namespace quintet
