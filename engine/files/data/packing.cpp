#include "engine/files/data/packing.h"

#include <cassert>

#include "sim/samples/pack.h"

namespace quintet {
namespace {

void cut_shard(const TokenShard& shard, std::size_t number, TokenId end_of_document, int longest,
               std::vector<Document>& documents) {
  std::int64_t first = 0;
  const std::int64_t count = token_count(shard);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t length = i + 1 - first;
    if (token_at(shard, i) != end_of_document && length < longest && i + 1 < count) continue;
    documents.push_back({number, first, static_cast<std::int32_t>(length)});
    first = i + 1;
  }
}

void append_document(TokenRow& row, const std::vector<TokenId>& tokens) {
  row.document_starts.push_back(static_cast<std::int32_t>(row.tokens.size()));
  row.tokens.insert(row.tokens.end(), tokens.begin(), tokens.end());
  row.targets.insert(row.targets.end(), tokens.begin() + 1, tokens.end());
  row.targets.push_back(no_target);
}

void pad(TokenRow& row, std::size_t length, TokenId padding) {
  if (row.tokens.size() == length) return;
  row.document_starts.push_back(static_cast<std::int32_t>(row.tokens.size()));
  row.tokens.resize(length, padding);
  row.targets.resize(length, no_target);
}

}  // namespace

std::vector<Document> documents_of(const std::vector<TokenShard>& shards, TokenId end_of_document,
                                   int longest) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i < shards.size(); ++i)
    cut_shard(shards[i], i, end_of_document, longest, documents);
  return documents;
}

std::vector<std::vector<std::size_t>> pack(const std::vector<Document>& documents, int length) {
  std::vector<int> lengths;
  for (const Document& document : documents) lengths.push_back(document.count);
  return packed_rows(lengths, length);
}

Result<PackedDocuments> PackedDocuments::make(std::vector<TokenShard> shards,
                                              const Settings& settings) {
  assert(settings.length > 0 && settings.vocabulary > 0);
  assert(settings.padding >= 0 && settings.padding < settings.vocabulary);
  PackedDocuments packed;
  packed.documents_ = documents_of(shards, settings.end_of_document, settings.length);
  if (packed.documents_.empty()) return Error{"data", "no tokens were given"};
  packed.rows_ = pack(packed.documents_, settings.length);
  packed.shards_ = std::move(shards);
  packed.settings_ = settings;
  return packed;
}

double PackedDocuments::fill() const {
  std::int64_t tokens = 0;
  for (const Document& document : documents_) tokens += document.count;
  return static_cast<double>(tokens) / (static_cast<double>(rows_.size()) * settings_.length);
}

Result<TokenRow> PackedDocuments::row(std::int64_t index) const {
  assert(index >= 0 && index < count());
  TokenRow row;
  for (const std::size_t number : rows_[static_cast<std::size_t>(index)]) {
    const Document& document = documents_[number];
    const Result<std::vector<TokenId>> tokens =
        tokens_of(shards_[document.shard], document.first, document.count, settings_.vocabulary);
    if (!tokens) return tokens.error();
    append_document(row, *tokens);
  }
  pad(row, static_cast<std::size_t>(settings_.length), settings_.padding);
  return row;
}

}  // namespace quintet
