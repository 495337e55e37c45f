#include "sim/validate/rows/json_path.h"

#include <vector>

#include "sim/json/json_value.h"

namespace quintet {

namespace {

using Json = JsonValue;

Json* child(Json& parent, const std::string& name) {
  if (Json* const field = parent.find(name)) return field;
  const bool digits =
      !name.empty() && name.size() < 9 && name.find_first_not_of("0123456789") == std::string::npos;
  if (!parent.is_array() || !digits) return nullptr;
  const std::size_t position = std::stoul(name);
  return position < parent.size() ? &parent.elements()[position] : nullptr;
}

// All that the path leads to below `parent`.
std::vector<Json*> places(Json& parent, const std::string& path) {
  const std::size_t dot = path.find('.');
  const std::string name = path.substr(0, dot);
  std::vector<Json*> next;
  if (name == "*" && parent.is_array())
    for (Json& element : parent.elements()) next.push_back(&element);
  else if (Json* const one = child(parent, name))
    next.push_back(one);
  if (dot == std::string::npos) return next;
  std::vector<Json*> all;
  for (Json* const one : next) {
    const std::vector<Json*> below = places(*one, path.substr(dot + 1));
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace

std::optional<std::string> json_at(const std::string& json, const std::string& path) {
  Json root = Json::parse(json);
  const std::vector<Json*> found = places(root, path);
  if (found.empty()) return std::nullopt;
  return found.front()->dump();
}

Result<std::string> with_json_at(const std::string& json, const std::string& path,
                                 const std::string& value) {
  Json root = Json::parse(json);
  const std::vector<Json*> found = places(root, path);
  if (found.empty()) return Error{path, "leads nowhere"};
  for (Json* const place : found) *place = Json::parse(value);
  return root.dump(1);
}

}  // namespace quintet
