// Byte-level byte-pair encoding (Sennrich et al., arXiv 1508.07909; over bytes: Radford et al.
// 2019, section 2.2): within a word, the pair that was learned first is merged first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

using TokenId = std::int32_t;

// Whether "<|endoftext|>" in a text is the token of that name or the thirteen characters.
enum class SpecialTokens { recognised, as_text };

// What a vocabulary file says, checked by tokenizer_file.h.
struct Merge {
  TokenId left, right, merged;
};
struct Vocabulary {
  std::unordered_map<TokenId, std::string> tokens;  // their bytes, special ones too
  std::vector<Merge> merges;                        // first learned first
  std::vector<TokenId> special;
};

class BytePairEncoder {
 public:
  // Each of the 256 bytes must have a token, else not every text could be told.
  static Result<BytePairEncoder> make(Vocabulary vocabulary, const std::string& where);

  // Not const: words are remembered.
  std::vector<TokenId> encode(std::string_view text,
                              SpecialTokens special = SpecialTokens::recognised);
  // Refuses ids that are no token.
  Result<std::string> decode(const std::vector<TokenId>& ids) const;

  TokenId largest_id() const { return largest_id_; }
  const std::vector<TokenId>& special_ids() const { return vocabulary_.special; }
  std::vector<TokenId> merged(std::string_view word) const;

 private:
  struct Learned {
    std::int32_t rank;
    TokenId merged;
  };
  BytePairEncoder() = default;
  const Learned* learned(TokenId left, TokenId right) const;
  void encode_plain(std::string_view text, std::vector<TokenId>& ids);

  Vocabulary vocabulary_;
  std::vector<TokenId> of_byte_;
  std::unordered_map<std::uint64_t, Learned> learned_;
  std::unordered_map<std::string, std::vector<TokenId>> remembered_;
  TokenId largest_id_ = -1;
};

}  // namespace quintet
