#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "sim/frameworks/torchtitan.h"

namespace quintet::torchtitan {
namespace {

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

// As TOML has it, on a line.
std::string written_as(const toml::node& node) {
  std::string text;
  if (const auto* const string = node.as_string()) return string->get();
  if (const auto* const number = node.as_integer()) return std::to_string(number->get());
  if (const auto* const number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* const is_so = node.as_boolean()) return is_so->get() ? "true" : "false";
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& each : *list) text += (text.empty() ? "" : ",") + written_as(each);
    return text;
  }
  return node.is_table() ? "a table" : "a date or time";
}

bool is_of(const toml::node& node, ArgumentType type) {
  switch (type) {
    case ArgumentType::flag:
      return node.is_boolean();
    case ArgumentType::integer:
      return node.is_integer();
    case ArgumentType::real:
      return node.is_number();
    case ArgumentType::text:
      return node.is_string() ||
             (node.is_array() && node.as_array()->is_homogeneous(toml::node_type::string));
  }
  return false;
}

class TomlReader {
 public:
  TomlReader(const std::string& where, TomlValues& into) : where_(where), into_(into) {}

  std::optional<Error> read(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (const toml::table* const inner = node.as_table()) {
        if (auto error = read(*inner, name + ".")) return error;
      } else if (auto error = take(name, node)) {
        return error;
      }
    }
    return std::nullopt;
  }

 private:
  Error at(const toml::node& node, std::string what) const {
    return {fmt::format("{}:{}", where_, line_of(node)), std::move(what)};
  }

  std::optional<Error> take(const std::string& name, const toml::node& node) {
    if (name == "parallelism.module_fqns_per_model_part") return take_parts(name, node);
    const ArgumentRow* const row = row_of(arguments(), name);
    if (row == nullptr) {
      into_.not_understood.push_back(
          {line_of(node), shown(name + " = " + written_as(node), 80), "is not known here"});
      return std::nullopt;
    }
    const std::string text = written_as(node);
    if (!is_of(node, row->type))
      return at(node,
                fmt::format("{}: expected {}, found {}", name, noun(row->type), in_quotes(text)));
    if (row->type == ArgumentType::flag && text == "false") return std::nullopt;
    const std::string value = row->type == ArgumentType::flag ? "" : text;
    if (const auto wrong = refusal(*row, value)) return at(node, *wrong);
    into_.given.push_back({name, value, line_of(node)});
    return std::nullopt;
  }

  std::optional<Error> take_parts(const std::string& name, const toml::node& node) {
    const Error wrong = at(node, name + ": expected a list of lists of modules' names");
    const toml::array* const parts = node.as_array();
    if (parts == nullptr || parts->empty()) return wrong;
    into_.model_parts_line = line_of(node);
    for (const toml::node& part : *parts) {
      const toml::array* const names = part.as_array();
      if (names == nullptr) return wrong;
      std::vector<std::string>& all = into_.model_parts.emplace_back();
      for (const toml::node& each : *names) {
        if (!each.is_string()) return wrong;
        all.push_back(each.as_string()->get());
      }
    }
    return std::nullopt;
  }

  const std::string& where_;
  TomlValues& into_;
};

}  // namespace

Result<TomlValues> read_toml(const std::string& text, const std::string& where) {
  TomlValues values;
  try {
    const toml::table table = toml::parse(text);
    if (auto error = TomlReader(where, values).read(table, "")) return *error;
  } catch (const toml::parse_error& error) {
    return Error{fmt::format("{}:{}", where, error.source().begin.line),
                 "is no TOML: " + shown(error.description(), 200)};
  }
  std::stable_sort(values.not_understood.begin(), values.not_understood.end(),
                   [](const auto& one, const auto& other) { return one.line < other.line; });
  return values;
}

}  // namespace quintet::torchtitan
