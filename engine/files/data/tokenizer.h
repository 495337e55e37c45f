// Text to tokens and back, in one of two ways.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/files/data/byte_pair_encoder.h"
#include "sim/base/result.h"

namespace quintet {

// Every byte is its own token, 0 .. 255.
struct ByteLevel {};

using Tokenizer = std::variant<ByteLevel, BytePairEncoder>;

// Every text can be told. A byte-pair encoder keeps the words that it has seen, hence no const.
std::vector<TokenId> encode(Tokenizer& tokenizer, std::string_view text);
Result<std::string> decode(const Tokenizer& tokenizer, const std::vector<TokenId>& ids);
// How many rows an embedding needs at least.
int vocabulary_size(const Tokenizer& tokenizer);

}  // namespace quintet
