// Documents of any length, a row each, without padding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/files/data/packing.h"

namespace quintet {

// Documents of a text are parted by empty lines, which belong to none.
std::vector<std::string> paragraphs_of(const std::string& text);

class WholeDocuments {
 public:
  struct Settings {
    int longest = 0, vocabulary = 0;
    TokenId end_of_document = 0;  // below 0: a shard is a document
  };
  // Those of one token have nothing to be said of and are left out; refuses data without others.
  static Result<WholeDocuments> make(std::vector<TokenShard> shards, const Settings& settings);

  std::int64_t count() const { return static_cast<std::int64_t>(documents_.size()); }
  int length() const { return settings_.longest; }
  int length_of(std::int64_t index) const {
    return documents_[static_cast<std::size_t>(index)].count;
  }
  // Targets are the next tokens; the last has none.
  Result<TokenRow> row(std::int64_t index) const;

 private:
  WholeDocuments() = default;

  std::vector<TokenShard> shards_;
  Settings settings_;
  std::vector<Document> documents_;
};

}  // namespace quintet
