// Documents of any length, packed whole into rows of one length (the input of BERT-like training
// without padding; Krell et al., arXiv 2107.02027, section 3).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/files/data/token_windows.h"
#include "sim/base/result.h"

namespace quintet {

struct Document {
  std::size_t shard = 0;
  std::int64_t first = 0;
  std::int32_t count = 0;
  bool operator==(const Document&) const = default;
};

// Documents end behind each `end_of_document`. Longer ones than `longest` are cut; a document is
// never empty.
std::vector<Document> documents_of(const std::vector<TokenShard>& shards, TokenId end_of_document,
                                   int longest);

// Best fit, longest first: rows of at most `length` tokens. Indices into `documents`, which are no
// longer than that. The same on every rank.
std::vector<std::vector<std::size_t>> pack(const std::vector<Document>& documents, int length);

class PackedDocuments {
 public:
  struct Settings {
    int length = 0, vocabulary = 0;
    TokenId end_of_document = 0;  // below 0: a shard is a document
    TokenId padding = 0;  // fills the end of a row, as a document of its own without targets
  };
  static Result<PackedDocuments> make(std::vector<TokenShard> shards, const Settings& settings);

  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  int length() const { return settings_.length; }
  double fill() const;  // share of the rows that is no padding
  // Targets are the next tokens of the same document; its last has none.
  Result<TokenRow> row(std::int64_t index) const;

 private:
  PackedDocuments() = default;

  std::vector<TokenShard> shards_;
  Settings settings_;
  std::vector<Document> documents_;
  std::vector<std::vector<std::size_t>> rows_;
};

}  // namespace quintet
