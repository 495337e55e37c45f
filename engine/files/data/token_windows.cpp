#include "engine/files/data/token_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace quintet {

std::int64_t token_count(const TokenShard& shard) {
  return std::visit(
      Match{[](const TokenFile& file) { return static_cast<std::int64_t>(file.tokens().size()); },
            [](const TokensInMemory& memory) {
              return static_cast<std::int64_t>(memory.tokens.size());
            }},
      shard);
}

TokenId token_at(const TokenShard& shard, std::int64_t index) {
  assert(index >= 0 && index < token_count(shard));
  const auto at = static_cast<std::size_t>(index);
  return std::visit(Match{[&](const TokenFile& file) { return TokenId{file.tokens()[at]}; },
                          [&](const TokensInMemory& memory) { return memory.tokens[at]; }},
                    shard);
}

const std::string& name_of(const TokenShard& shard) {
  return std::visit(
      Match{[](const TokenFile& file) -> const std::string& { return file.name(); },
            [](const TokensInMemory& memory) -> const std::string& { return memory.name; }},
      shard);
}

Result<std::vector<TokenId>> tokens_of(const TokenShard& shard, std::int64_t first,
                                       std::int64_t count, int vocabulary) {
  std::vector<TokenId> tokens;
  tokens.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = first; i < first + count; ++i) {
    const TokenId token = token_at(shard, i);
    if (token < 0 || token >= vocabulary)
      return Error{fmt::format("{}: token {}", name_of(shard), i),
                   fmt::format("{} is outside of the model's vocabulary of {}", token, vocabulary)};
    tokens.push_back(token);
  }
  return tokens;
}

TokenWindows::TokenWindows(std::vector<TokenShard> shards, int length, int vocabulary)
    : shards_(std::move(shards)), length_(length), vocabulary_(vocabulary), first_window_{0} {
  for (const TokenShard& shard : shards_)
    first_window_.push_back(first_window_.back() +
                            std::max<std::int64_t>(0, token_count(shard) - 1) / length);
  kept_ = first_window_.back();
}

void TokenWindows::keep(std::int64_t first, std::int64_t count) {
  assert(first >= 0 && count >= 0 && first + count <= kept_);
  skipped_ += first;
  kept_ = count;
}

std::optional<Error> TokenWindows::check_tokens(std::int64_t most) const {
  const auto is_foreign = [this](std::int64_t token) { return token < 0 || token >= vocabulary_; };
  for (const TokenShard& shard : shards_) {
    const std::int64_t looked_at = std::min(token_count(shard), most);
    most -= looked_at;
    const std::int64_t first =
        std::visit(Match{[&](const TokenFile& file) {
                           const auto begin = file.tokens().begin();
                           return std::find_if(begin, begin + looked_at, is_foreign) - begin;
                         },
                         [&](const TokensInMemory& memory) {
                           const auto begin = memory.tokens.begin();
                           return std::find_if(begin, begin + looked_at, is_foreign) - begin;
                         }},
                   shard);
    if (first < looked_at)
      if (const auto refused = tokens_of(shard, first, 1, vocabulary_); !refused)
        return refused.error();
  }
  return std::nullopt;
}

Result<TokenWindows> TokenWindows::make(std::vector<TokenShard> shards, int length,
                                        int vocabulary) {
  assert(length > 0 && vocabulary > 0);
  if (shards.empty()) return Error{"data", "no tokens were given"};
  const std::string name = name_of(shards.front());
  TokenWindows windows(std::move(shards), length, vocabulary);
  if (windows.count() == 0)
    return Error{name,
                 fmt::format("holds {} tokens; a sequence of {} and the token after it need {}",
                             token_count(windows.shards_.front()), length, length + 1)};
  return windows;
}

Result<TokenRow> TokenWindows::row(std::int64_t kept) const {
  assert(kept >= 0 && kept < count());
  const std::int64_t window = kept + skipped_;
  const auto after = std::upper_bound(first_window_.begin(), first_window_.end(), window);
  const auto shard = static_cast<std::size_t>(after - first_window_.begin()) - 1;
  const std::int64_t first = (window - first_window_[shard]) * length_;
  Result<std::vector<TokenId>> tokens =
      tokens_of(shards_[shard], first, std::int64_t{length_} + 1, vocabulary_);
  if (!tokens) return tokens.error();
  TokenRow row;
  row.targets.assign(tokens->begin() + 1, tokens->end());
  tokens->pop_back();
  row.tokens = std::move(*tokens);
  row.document_starts = {0};
  return row;
}

}  // namespace quintet
