#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/base/shown_text.h"
#include "sim/frameworks/deepspeed.h"
#include "sim/json/json_fields.h"

namespace quintet::deepspeed {
namespace {

// The line of each key by its path, of a text that is JSON: its parser does not say.
class KeyLines {
 public:
  explicit KeyLines(const std::string& text) : text_(text) { value(""); }

  int of(const std::string& path) const {
    const auto found = lines_.find(path);
    return found == lines_.end() ? 0 : found->second;
  }

 private:
  char letter() const { return next_ < text_.size() ? text_[next_] : '\0'; }
  void advance() {
    if (letter() == '\n') ++line_;
    ++next_;
  }
  // Blanks, and what stands between values.
  void to_value() {
    while (std::string_view(" \t\r\n,:").find(letter()) != std::string_view::npos) advance();
  }
  std::string quoted() {
    const std::size_t start = next_ + 1;
    for (advance(); letter() != '"' && next_ < text_.size(); advance())
      if (letter() == '\\') advance();
    const std::string inside = text_.substr(start, next_ - start);
    advance();
    return inside;
  }
  void value(const std::string& path) {
    to_value();
    if (letter() == '{') return inside(path, '}');
    if (letter() == '[') return inside(path, ']');
    if (letter() == '"') {
      quoted();
      return;
    }
    while (next_ < text_.size() &&
           std::string_view(",]} \t\r\n").find(letter()) == std::string::npos)
      advance();
  }
  void inside(const std::string& path, char end) {
    advance();
    for (to_value(); letter() != end && next_ < text_.size(); to_value()) {
      std::string key;
      if (end == '}') {
        const int line = line_;
        key = (path.empty() ? "" : path + ".") + quoted();
        lines_[key] = line;
      }
      value(key);
    }
    advance();
  }

  const std::string& text_;
  std::size_t next_ = 0;
  int line_ = 1;
  std::map<std::string, int> lines_;
};

bool has_type(const nlohmann::json& json, const ArgumentRow& row) {
  switch (row.type) {
    case ArgumentType::flag:
      return json.is_boolean();
    case ArgumentType::integer:
      return json.is_number_integer() ||
             (json.is_number_float() && std::floor(json.get<double>()) == json.get<double>());
    case ArgumentType::real:
      return json.is_number();
    case ArgumentType::text:
      return json.is_string() || (row.choices == "true|false" && json.is_boolean());
  }
  return false;
}

// As an argument has it: 5e8 of a whole number is 500000000.
std::string as_argument(const nlohmann::json& json, const ArgumentRow& row) {
  if (json.is_string()) return json.get<std::string>();
  if (row.type == ArgumentType::integer && json.is_number_float())
    return fmt::format("{:.0f}", json.get<double>());
  return json.dump();
}

// Of the optimizer and the learning rate's schedule, and what our own key says to its reader.
bool is_of_training(std::string_view name) {
  constexpr std::array beginnings{"optimizer.params.", "scheduler.", "quintet."};
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* each) { return name.starts_with(each); });
}

class ObjectReader {
 public:
  ObjectReader(const std::string& text, const std::string& where, JsonValues& into)
      : where_(where), lines_(text), into_(into) {}

  std::optional<Error> read(const nlohmann::json& object, const std::string& prefix) {
    for (const auto& [key, value] : object.items()) {
      const std::string name = prefix + key;
      if (prefix == "quintet.environment." && value.is_string())
        into_.environment.push_back({key, value.get<std::string>()});
      else if (value.is_object()) {
        if (auto error = read(value, name + ".")) return error;
      } else if (auto error = take(name, value)) {
        return error;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Error> take(const std::string& name, const nlohmann::json& value) {
    const int line = lines_.of(name);
    const auto leave_out = [&](const char* why) {
      into_.not_understood.push_back({line, shown(name + " = " + value.dump(), 80), why});
      return std::optional<Error>{};
    };
    const ArgumentRow* const row = row_of(arguments(), name);
    if (row == nullptr) return is_of_training(name) ? std::nullopt : leave_out("is not known here");
    if (value.is_null()) return std::nullopt;
    if (value == "auto") return leave_out("is left to who starts it");
    const std::string place = fmt::format("{}:{}", where_, line);
    const std::string text = as_argument(value, *row);
    if (!has_type(value, *row))
      return Error{
          place, fmt::format("{}: expected {}, found {}", name, noun(row->type), in_quotes(text))};
    if (row->type == ArgumentType::flag && text == "false") return std::nullopt;
    const std::string given = row->type == ArgumentType::flag ? "" : text;
    if (const auto wrong = quintet::refusal(*row, given)) return Error{place, *wrong};
    into_.given.push_back({name, given, line});
    return std::nullopt;
  }

  const std::string& where_;
  KeyLines lines_;
  JsonValues& into_;
};

}  // namespace

Result<JsonValues> read_json(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  if (!json->is_object()) return Error{where, "expected an object, { ... }"};
  JsonValues values;
  if (auto error = ObjectReader(text, where, values).read(*json, "")) return *error;
  return values;
}

}  // namespace quintet::deepspeed
