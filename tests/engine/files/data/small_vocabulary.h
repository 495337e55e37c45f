// A byte-level vocabulary small enough to merge by hand: 256 bytes, then what is learned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/files/data/byte_symbols.h"

namespace quintet {

// Id 0 .. 255: the bytes; then one token per merge "left right" (in symbols), in order.
struct SmallVocabulary {
  std::vector<std::pair<std::string, std::string>> merges;

  static std::string quoted(std::string_view symbols) {
    std::string text = "\"";
    for (const char character : symbols) {
      if (character == '"' || character == '\\') text += '\\';
      text += character;
    }
    return text + "\"";
  }

  std::string vocabulary_json() const {
    std::string json;
    for (int byte = 0; byte < 256; ++byte)
      json += quoted(symbols_of_bytes(std::string(1, static_cast<char>(byte)))) + ": " +
              std::to_string(byte) + ", ";
    for (std::size_t i = 0; i < merges.size(); ++i)
      json += quoted(merges[i].first + merges[i].second) + ": " + std::to_string(256 + i) + ", ";
    return "{" + json.substr(0, json.size() - 2) + "}";
  }

  std::string merges_json() const {
    std::string json;
    for (const auto& [left, right] : merges)
      json += (json.empty() ? "" : ", ") + quoted(left + " " + right);
    return "[" + json + "]";
  }

  std::string merges_text() const {
    std::string text = "#version: 0.2\n";
    for (const auto& [left, right] : merges) text += left + " " + right + "\n";
    return text;
  }

  // `added` is the list of special tokens.
  std::string tokenizer_json(const std::string& added = "[]") const {
    return R"({"version": "1.0", "added_tokens": )" + added +
           R"(, "normalizer": null, "pre_tokenizer": {"type": "ByteLevel",
               "add_prefix_space": false, "trim_offsets": true},
             "model": {"type": "BPE", "dropout": null, "unk_token": null,
               "continuing_subword_prefix": "", "end_of_word_suffix": "", "vocab": )" +
           vocabulary_json() + R"(, "merges": )" + merges_json() + "}}";
  }
};

// "\u0120" stands for a space. Ids: ll 256, he 257, hell 258, hello 259, or 260, space-w 261.
inline SmallVocabulary hello_vocabulary() {
  return {{{"l", "l"}, {"h", "e"}, {"he", "ll"}, {"hell", "o"}, {"o", "r"}, {"\u0120", "w"}}};
}

}  // namespace quintet
