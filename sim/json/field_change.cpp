#include "sim/json/field_change.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "sim/base/usual_words.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

// A key of an object, or a number in a list.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

Error no_path(const FieldChange& change) {
  return {change.asked,
          "expected a field such as parallelism.tensor or ccl.rules[0].algorithm, "
          "found " +
              in_quotes(change.path)};
}

// "rules[0]" is two steps.
bool add_steps(std::string_view part, std::vector<Step>& steps) {
  const std::size_t bracket = std::min(part.find('['), part.size());
  if (bracket == 0) return false;
  steps.push_back({std::string(part.substr(0, bracket)), std::nullopt});
  part.remove_prefix(bracket);
  while (!part.empty()) {
    std::size_t index = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, failure] = std::from_chars(part.data() + 1, end, index);
    if (part.front() != '[' || failure != std::errc{} || stop == end || *stop != ']') return false;
    steps.push_back({"", index});
    part.remove_prefix(static_cast<std::size_t>(stop - part.data()) + 1);
  }
  return true;
}

Result<std::vector<Step>> steps_of(const FieldChange& change) {
  std::vector<Step> steps;
  for (std::string_view rest = change.path; !rest.empty() || steps.empty();) {
    const std::size_t length = std::min(rest.find('.'), rest.size());
    if (!add_steps(rest.substr(0, length), steps)) return no_path(change);
    if (length + 1 == rest.size()) return no_path(change);
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return steps;
}

Json value_of(std::string_view given) {
  Json json = Json::parse(given, nullptr, false);
  if (!json.is_discarded()) return json;
  const std::string plain = plain_word(given);
  if (plain == "true" || plain == "false") return plain == "true";
  if (!given.starts_with('[') || !given.ends_with(']')) return std::string(given);
  Json list = Json::array();
  for (const std::string& each : listed(given.substr(1, given.size() - 2)))
    list.push_back(value_of(each));
  return list;
}

// Null where the way leads through something that is no object or list.
Json* entered(Json& node, const Step& step) {
  if (node.is_null()) node = step.index ? Json::array() : Json::object();
  if (!step.index) return node.is_object() ? &node[step.key] : nullptr;
  if (!node.is_array() || *step.index > node.size()) return nullptr;
  if (*step.index == node.size()) node.push_back(nullptr);
  return &node[*step.index];
}

// What is asked of `node`, which `path` led to, and is no object.
std::string no_field(const std::string& path, const std::string& key, const Json& node) {
  if (node.is_array())
    return fmt::format("{} is a list; name one of its entries, such as {}[0].{}", in_quotes(path),
                       path, key);
  return fmt::format("{} is {} and has no fields; leave out \".{}\"", in_quotes(path),
                     described(node), key);
}

std::optional<Error> apply(const FieldChange& change, Json& tree) {
  const Result<std::vector<Step>> steps = steps_of(change);
  if (!steps) return steps.error();
  Json* node = &tree;
  std::string before;  // as far as the way has led
  for (const Step& step : *steps) {
    const std::string found = described(*node);
    const std::size_t entries = node->size();
    Json* const next = entered(*node, step);
    if (next == nullptr && step.index)
      return Error{change.asked,
                   fmt::format("there is no entry [{}] in {} of {}; the next would be "
                               "[{}]",
                               *step.index, found, entries, entries)};
    if (next == nullptr) return Error{change.asked, no_field(before, step.key, *node)};
    before += (before.empty() || step.index ? "" : ".") +
              (step.index ? fmt::format("[{}]", *step.index) : step.key);
    node = next;
  }
  *node = value_of(change.value);
  return std::nullopt;
}

// "plan.json: parallelism.tensor" -> "parallelism.tensor".
std::string_view place_in_file(std::string_view where) {
  const std::size_t colon = where.rfind(": ");
  return colon == std::string_view::npos ? std::string_view() : where.substr(colon + 2);
}

bool lies_in(std::string_view path, std::string_view place) {
  return path.starts_with(place) &&
         (path.size() == place.size() || path[place.size()] == '.' || path[place.size()] == '[');
}

// ": axis", of "rules[0].axis" where "rules[0]" was given.
std::string behind(std::string_view place, const FieldChange& change) {
  place.remove_prefix(change.path.size());
  if (place.starts_with('.')) place.remove_prefix(1);
  return place.empty() ? "" : ": " + std::string(place);
}

}  // namespace

std::vector<std::string> listed(std::string_view values) {
  std::vector<std::string> all(1);
  int depth = 0;
  bool quoted = false;
  for (const char letter : values) {
    if (letter == '"') quoted = !quoted;
    if (!quoted && (letter == '[' || letter == '{')) ++depth;
    if (!quoted && (letter == ']' || letter == '}')) --depth;
    const bool parts = letter == ',' && depth == 0 && !quoted;
    if (parts)
      all.emplace_back();
    else if (letter != ' ' || quoted || depth > 0 || !all.back().empty())
      all.back() += letter;
  }
  for (std::string& each : all)
    while (each.ends_with(' ')) each.pop_back();
  return all;
}

Result<std::string> changed_text(const std::string& text, const std::string& where,
                                 const FieldChanges& changes) {
  if (changes.empty()) return text;
  Result<Json> tree = parse_json(text, where);
  if (!tree) return tree.error();
  for (const FieldChange& change : changes)
    if (const auto error = apply(change, *tree)) return *error;
  return dumped(*tree);
}

Error blamed(const Error& error, const FieldChanges& changes) {
  const std::string_view place = place_in_file(error.where);
  if (place.empty()) return error;
  const bool unknown = error.what.starts_with("unknown key");
  for (const FieldChange& change : changes) {
    // What was appended to the place stands inside the value that was given.
    if (lies_in(place, change.path)) return {change.asked + behind(place, change), error.what};
    const bool of_another_kind =
        place != change.path && error.what.starts_with("expected an array");
    if ((unknown || of_another_kind) && lies_in(change.path, place))
      return {change.asked, (of_another_kind ? std::string(place) + ": " : "") + error.what};
  }
  return error;
}

}  // namespace quintet
