// Tokens one after the other, from shards or from memory, seen through windows of one length that
// do not overlap and do not cross from one shard to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/files/data/batch.h"
#include "engine/files/data/token_file.h"
#include "sim/base/result.h"

namespace quintet {

struct TokensInMemory {
  std::string name;
  std::vector<TokenId> tokens;
};
using TokenShard = std::variant<TokenFile, TokensInMemory>;

// Tokens in all, those of unfinished windows included.
std::int64_t token_count(const TokenShard& shard);
TokenId token_at(const TokenShard& shard, std::int64_t index);
const std::string& name_of(const TokenShard& shard);

// Copies tokens first .. first + count - 1; refuses one that is not below the vocabulary, by its
// place.
Result<std::vector<TokenId>> tokens_of(const TokenShard& shard, std::int64_t first,
                                       std::int64_t count, int vocabulary);

class TokenWindows {
 public:
  // Refuses a length of which no shard holds a window and its next token.
  static Result<TokenWindows> make(std::vector<TokenShard> shards, int length, int vocabulary);

  std::int64_t count() const { return kept_; }
  // The only windows from here on are `count` of those that there were, from `first` on.
  void keep(std::int64_t first, std::int64_t count);
  // Refuses the first token of all, of unfinished windows too, that is not below the vocabulary.
  // Looks at no more than `most` tokens.
  std::optional<Error> check_tokens(std::int64_t most) const;
  int length() const { return length_; }
  // Targets are the next tokens: the last one is the token behind the window.
  Result<TokenRow> row(std::int64_t window) const;

 private:
  TokenWindows(std::vector<TokenShard> shards, int length, int vocabulary);

  std::vector<TokenShard> shards_;
  int length_, vocabulary_;
  std::vector<std::int64_t> first_window_;  // of each shard, and how many there are in all
  std::int64_t skipped_ = 0, kept_ = 0;
};

}  // namespace quintet
