#include "engine/files/data/whole_documents.h"

#include <algorithm>
#include <cassert>

namespace quintet {

std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> found;
  std::string document;
  const auto finish = [&] {
    if (!document.empty()) found.push_back(std::move(document));
    document.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      finish();
    else
      document += (document.empty() ? "" : "\n") + line;
    begin = end + 1;
  }
  finish();
  return found;
}

Result<WholeDocuments> WholeDocuments::make(std::vector<TokenShard> shards,
                                            const Settings& settings) {
  assert(settings.longest > 0 && settings.vocabulary > 0);
  WholeDocuments whole;
  for (const Document& document : documents_of(shards, settings.end_of_document, settings.longest))
    if (document.count > 1) whole.documents_.push_back(document);
  if (whole.documents_.empty()) return Error{"data", "there is no document of two tokens or more"};
  whole.shards_ = std::move(shards);
  whole.settings_ = settings;
  return whole;
}

Result<TokenRow> WholeDocuments::row(std::int64_t index) const {
  assert(index >= 0 && index < count());
  const Document& document = documents_[static_cast<std::size_t>(index)];
  Result<std::vector<TokenId>> tokens =
      tokens_of(shards_[document.shard], document.first, document.count, settings_.vocabulary);
  if (!tokens) return tokens.error();
  TokenRow row;
  row.targets.assign(tokens->begin() + 1, tokens->end());
  row.targets.push_back(no_target);
  row.tokens = std::move(*tokens);
  row.document_starts = {0};
  return row;
}

}  // namespace quintet
