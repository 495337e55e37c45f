// GPT-2's byte-level vocabulary from Hugging Face files: tokenizer.json, or vocab.json and
// merges.txt. Other kinds of tokenizer (SentencePiece, WordPiece, other patterns) are refused by
// name. A post_processor, which would put tokens around a text, is not applied.
#pragma once

#include <filesystem>
#include <string>

#include "engine/files/data/byte_pair_encoder.h"
#include "sim/base/result.h"

namespace quintet {

// tokenizer.json, or a folder that holds it, or else vocab.json and merges.txt.
Result<BytePairEncoder> read_tokenizer(const std::filesystem::path& file_or_folder);

// The text of a tokenizer.json; `where` names it in errors. Refuses what GPT-2's kind does not
// have.
Result<BytePairEncoder> parse_tokenizer(const std::string& json, const std::string& where);

struct NamedText {
  std::string text, where;
};
Result<BytePairEncoder> parse_vocabulary(const NamedText& vocabulary, const NamedText& merges);

}  // namespace quintet
