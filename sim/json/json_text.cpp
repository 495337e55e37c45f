// From a text to a tree: the half of json_fields.h that knows no fields.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

std::string line_and_column(const std::string& text, std::size_t offset) {
  const auto begin = text.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto line = 1 + std::count(begin, end, '\n');
  const auto line_start = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
  return fmt::format("line {}, column {}", line, 1 + std::distance(line_start, end));
}

// nlohmann writes "[json...] parse error at line 1, column 5: syntax error while parsing value -
// invalid literal; last read: '...'"; the middle is what helps, the rest may be megabytes.
std::string reason_in(const std::string& message) {
  const std::size_t start = message.find(" - ");
  if (start == std::string::npos) return shown(message.substr(message.find("] ") + 2));
  const std::string reason = message.substr(start + 3);
  const std::size_t read = reason.find("; last read: '");
  if (read == std::string::npos) return reason;
  const std::size_t expected = reason.rfind("'; expected ");
  const bool has_expected = expected != std::string::npos && expected > read;
  return reason.substr(0, read) + (has_expected ? reason.substr(expected + 1) : "");
}

// Builds the tree itself, since nlohmann's own builder lets a second key overwrite the first and
// nests without limit.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(const std::string& text, const std::string& where) : text_(text), where_(where) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse(where_, "binary data is not JSON"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    key_ = name;
    if (!open_.back()->contains(name)) return true;
    return refuse(where_ + ": " + path() + shown(name), "the key appears twice in one object");
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& exception) override {
    // The position counts the offending character too.
    const std::size_t offset = position > 0 ? position - 1 : 0;
    return refuse(where_ + ": " + line_and_column(text_, offset),
                  "not valid JSON: " + reason_in(exception.what()));
  }

  Result<Json> result() && {
    if (error_) return *error_;
    return std::move(root_);
  }

 private:
  static constexpr std::size_t deepest = 64;

  bool refuse(std::string where, std::string what) {
    error_ = Error{std::move(where), std::move(what)};
    return false;
  }

  Json* place(Json&& value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool add(Json&& value) {
    place(std::move(value));
    return true;
  }

  // Pointers into the parent stay good: it does not grow while its last child is open.
  bool open(Json&& container) {
    if (open_.size() == deepest)
      return refuse(where_, fmt::format("nested deeper than {} levels", deepest));
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  // The keys that lead to the innermost open object: "hosts[3].".
  std::string path() const {
    std::string keys;
    for (std::size_t depth = 0; depth + 1 < open_.size(); ++depth)
      keys += step(*open_[depth], *open_[depth + 1]);
    return keys.empty() ? keys : keys.substr(keys.front() == '.' ? 1 : 0) + ".";
  }

  static std::string step(const Json& parent, const Json& child) {
    if (parent.is_array()) return fmt::format("[{}]", parent.size() - 1);
    for (const auto& [name, value] : parent.items())
      if (&value == &child) return "." + shown(name);
    return {};
  }

  const std::string& text_;
  const std::string& where_;
  Json root_;
  std::string key_;
  std::vector<Json*> open_;
  std::optional<Error> error_;
};

}  // namespace

Json json_or_null(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

Result<Json> parse_json(const std::string& text, const std::string& where) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return Error{where, "is empty, expected JSON"};
  if (auto wrong = other_encoding(text, where)) return *wrong;
  // The parser would take a zero byte for the end of the text and accept what stands before.
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    return Error{where + ": " + line_and_column(text, zero),
                 "not valid JSON: a zero byte; is this a text file?"};
  TreeBuilder builder(text, where);
  Json::sax_parse(text, &builder);
  return std::move(builder).result();
}

}  // namespace quintet
