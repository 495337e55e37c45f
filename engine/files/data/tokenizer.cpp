#include "engine/files/data/tokenizer.h"

#include <fmt/format.h>

namespace quintet {
namespace {

std::vector<TokenId> encode_bytes(std::string_view text) {
  std::vector<TokenId> ids;
  ids.reserve(text.size());
  for (const char byte : text) ids.push_back(static_cast<std::uint8_t>(byte));
  return ids;
}

Result<std::string> decode_bytes(const std::vector<TokenId>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] > 255)
      return Error{fmt::format("token {}", i),
                   fmt::format("{} is no byte, accepted are 0 to 255", ids[i])};
    text += static_cast<char>(ids[i]);
  }
  return text;
}

}  // namespace

std::vector<TokenId> encode(Tokenizer& tokenizer, std::string_view text) {
  return std::visit(Match{[&](ByteLevel&) { return encode_bytes(text); },
                          [&](BytePairEncoder& encoder) { return encoder.encode(text); }},
                    tokenizer);
}

Result<std::string> decode(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  return std::visit(Match{[&](const ByteLevel&) { return decode_bytes(ids); },
                          [&](const BytePairEncoder& encoder) { return encoder.decode(ids); }},
                    tokenizer);
}

int vocabulary_size(const Tokenizer& tokenizer) {
  return std::visit(Match{[](const ByteLevel&) { return 256; },
                          [](const BytePairEncoder& encoder) { return encoder.largest_id() + 1; }},
                    tokenizer);
}

}  // namespace quintet
