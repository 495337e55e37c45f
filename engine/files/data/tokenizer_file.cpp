#include "engine/files/data/tokenizer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/files/data/byte_symbols.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t largest_token_id = (1 << 24) - 1;

// The vocabulary as the file spells it, and what is known so far of the encoder.
struct Reading {
  std::string where;
  std::unordered_map<std::string, TokenId> ids;
  Vocabulary vocabulary;
};

std::optional<TokenId> token_id(const Json& json) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > largest_token_id)
    return std::nullopt;
  return static_cast<TokenId>(json.get<std::uint64_t>());
}

std::optional<Error> add_token(Reading& reading, const std::string& name, const Json& number) {
  const std::string place = reading.where + ": " + in_quotes(name);
  const std::optional<TokenId> id = token_id(number);
  if (!id)
    return Error{place, fmt::format("expected an id from 0 to {}, found {}", largest_token_id,
                                    shown(dumped(number)))};
  const std::optional<std::string> bytes = bytes_of_symbols(name);
  // Names of special tokens may hold any character; those replace this later.
  if (!reading.vocabulary.tokens.try_emplace(*id, bytes.value_or("")).second)
    return Error{place, fmt::format("the id {} belongs to another token too", *id)};
  reading.ids.emplace(name, *id);
  return std::nullopt;
}

std::optional<Error> add_vocabulary(Reading& reading, const Json* json) {
  if (json == nullptr || !json->is_object())
    return Error{reading.where, "expected an object of tokens and their ids"};
  for (const auto& [name, id] : json->items())
    if (const std::optional<Error> error = add_token(reading, name, id)) return error;
  return std::nullopt;
}

std::optional<Error> add_merge(Reading& reading, const std::string& left,
                               const std::string& right) {
  std::array<TokenId, 3> ids{};
  const std::array<std::string, 3> names{left, right, left + right};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto found = reading.ids.find(names[i]);
    if (found == reading.ids.end())
      return Error{fmt::format("{}: merge {}", reading.where, reading.vocabulary.merges.size()),
                   in_quotes(names[i]) + " is not in the vocabulary"};
    ids[i] = found->second;
  }
  reading.vocabulary.merges.push_back({ids[0], ids[1], ids[2]});
  return std::nullopt;
}

// "left right"
std::optional<Error> add_merge_line(Reading& reading, const std::string& line) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos || space == 0 || line.find(' ', space + 1) != std::string::npos ||
      space + 1 == line.size())
    return Error{fmt::format("{}: merge {}", reading.where, reading.vocabulary.merges.size()),
                 "expected two symbols with a space between, found " + in_quotes(line)};
  return add_merge(reading, line.substr(0, space), line.substr(space + 1));
}

// Older files join the two by a space, newer ones (tokenizers 0.20) keep a pair.
std::optional<Error> add_merge_entry(Reading& reading, const Json& entry) {
  if (entry.is_string()) return add_merge_line(reading, entry.get<std::string>());
  if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string())
    return add_merge(reading, entry[0].get<std::string>(), entry[1].get<std::string>());
  return Error{fmt::format("{}: merge {}", reading.where, reading.vocabulary.merges.size()),
               "expected \"left right\" or [\"left\", \"right\"]"};
}

std::optional<Error> add_merges(Reading& reading, const Json* json) {
  if (json == nullptr || !json->is_array())
    return Error{reading.where, "expected \"merges\", an array"};
  for (const Json& entry : *json)
    if (const std::optional<Error> error = add_merge_entry(reading, entry)) return error;
  return std::nullopt;
}

std::optional<Error> add_special(Reading& reading, JsonObject& token) {
  const std::string content = token.text("content");
  const int id = token.integer("id", 0, static_cast<int>(largest_token_id));
  if (!token.failed() && content.empty()) token.fail("content", "is empty");
  if (token.failed()) return token.error();
  const auto named = reading.ids.find(content);
  const bool elsewhere = named != reading.ids.end() && named->second != id;
  const bool taken = named == reading.ids.end() && reading.vocabulary.tokens.contains(id);
  if (elsewhere || taken)
    return Error{token.place("id"), fmt::format("{} disagrees with the vocabulary", id)};
  std::vector<TokenId>& special = reading.vocabulary.special;
  if (std::find(special.begin(), special.end(), id) != special.end())
    return Error{token.place("id"), fmt::format("{} is added twice", id)};
  reading.ids.emplace(content, id);
  reading.vocabulary.tokens[id] = content;
  special.push_back(id);
  return std::nullopt;
}

std::optional<Error> check_every_token_has_bytes(const Reading& reading) {
  for (const auto& [name, id] : reading.ids)
    if (reading.vocabulary.tokens.at(id).empty())
      return Error{reading.where + ": " + in_quotes(name),
                   "holds a character that stands for no byte; expected a byte-level vocabulary, "
                   "as GPT-2 has"};
  return std::nullopt;
}

// A value that has to be absent, null, false or empty, since we do not do what it asks for.
void refuse_setting(JsonObject& object, std::string_view key) {
  const Json* const value = object.raw(key);
  if (value == nullptr || value->is_null() || *value == false || *value == "" || *value == 0)
    return;
  object.fail(key, "is not supported; expected a byte-level tokenizer as GPT-2 has");
}

void require_kind(JsonObject& object, std::string_view expected) {
  const std::string kind = object.text("type");
  if (!object.failed() && kind != expected)
    object.fail("type", "found " + in_quotes(kind) + "; supported is \"" + std::string(expected) +
                            "\", as GPT-2 has");
}

void check_settings(JsonObject& root, JsonObject& model) {
  require_kind(model, "BPE");
  for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix",
                          "byte_fallback", "ignore_merges"})
    refuse_setting(model, key);
  root.adopt(model);
  refuse_setting(root, "normalizer");
  JsonObject splitter = root.object("pre_tokenizer");
  if (root.failed()) return;
  require_kind(splitter, "ByteLevel");
  refuse_setting(splitter, "add_prefix_space");
  if (!splitter.boolean_or("use_regex", true))
    splitter.fail("use_regex", "false is not supported: the text would be one word");
  root.adopt(splitter);
}

std::optional<Error> read_parts(Reading& reading, JsonObject& root) {
  JsonObject model = root.object("model");
  if (!root.failed()) check_settings(root, model);
  if (root.failed()) return root.error();
  if (auto error = add_vocabulary(reading, model.raw("vocab"))) return error;
  if (auto error = add_merges(reading, model.raw("merges"))) return error;
  for (JsonObject& token : root.objects_or_empty("added_tokens"))
    if (auto error = add_special(reading, token)) return error;
  if (root.failed()) return root.error();
  return check_every_token_has_bytes(reading);
}

std::optional<Error> add_merge_lines(Reading& reading, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool heading = at == 0 && line.starts_with("#version");
    at = end + 1;
    if (line.empty() || heading) continue;
    if (const std::optional<Error> error = add_merge_line(reading, line)) return error;
  }
  return std::nullopt;
}

// vocab.json has no list of special tokens; GPT-2's one is known by name.
void find_end_of_text(Reading& reading) {
  const auto found = reading.ids.find("<|endoftext|>");
  if (found != reading.ids.end()) reading.vocabulary.special.push_back(found->second);
}

}  // namespace

Result<BytePairEncoder> parse_tokenizer(const std::string& text, const std::string& where) {
  const Result<Json> json = parse_json(text, where);
  if (!json) return json.error();
  Reading reading{where, {}, {}};
  JsonObject root(*json, where);
  if (root.failed()) return *root.error();
  if (const std::optional<Error> error = read_parts(reading, root)) return *error;
  return BytePairEncoder::make(std::move(reading.vocabulary), where);
}

Result<BytePairEncoder> parse_vocabulary(const NamedText& vocabulary, const NamedText& merges) {
  const Result<Json> json = parse_json(vocabulary.text, vocabulary.where);
  if (!json) return json.error();
  Reading reading{vocabulary.where, {}, {}};
  if (const std::optional<Error> error = add_vocabulary(reading, &*json)) return *error;
  if (const std::optional<Error> error = check_every_token_has_bytes(reading)) return *error;
  reading.where = merges.where;
  if (const std::optional<Error> error = add_merge_lines(reading, merges.text)) return *error;
  find_end_of_text(reading);
  return BytePairEncoder::make(std::move(reading.vocabulary), vocabulary.where);
}

Result<BytePairEncoder> read_tokenizer(const std::filesystem::path& file_or_folder) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(file_or_folder, ignored);
  const std::filesystem::path file = folder ? file_or_folder / "tokenizer.json" : file_or_folder;
  if (!folder || std::filesystem::exists(file, ignored)) {
    const Result<std::string> text = read_text_file(file);
    if (!text) return text.error();
    return parse_tokenizer(*text, file.string());
  }
  if (!std::filesystem::exists(file_or_folder / "vocab.json", ignored))
    return Error{file_or_folder.string(),
                 "has neither tokenizer.json nor vocab.json and merges.txt"};
  const Result<std::string> vocabulary = read_text_file(file_or_folder / "vocab.json");
  if (!vocabulary) return vocabulary.error();
  const Result<std::string> merges = read_text_file(file_or_folder / "merges.txt");
  if (!merges) return merges.error();
  return parse_vocabulary({*vocabulary, (file_or_folder / "vocab.json").string()},
                          {*merges, (file_or_folder / "merges.txt").string()});
}

}  // namespace quintet
