#include "sim/plan/plan_difference.h"

#include "sim/json/field_description.h"
#include "sim/json/json_value.h"
#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

// An object has no text of its own, only its fields have; a list is one value.
struct Leaf {
  std::string path;
  const JsonValue* value;
};

void add_leaves(const JsonValue& object, const std::string& prefix, std::vector<Leaf>& leaves) {
  for (const JsonField& field : object.fields()) {
    const std::string text = field.value.dump();
    if (text.starts_with("{"))
      add_leaves(field.value, prefix + field.key + ".", leaves);
    else
      leaves.push_back({prefix + field.key, &field.value});
  }
}

std::string value_at(const std::vector<Leaf>& leaves, const std::string& path) {
  for (const Leaf& leaf : leaves)
    if (leaf.path == path) return leaf.value->dump();
  return "";
}

std::string usual_at(const FieldDescription& object, std::string_view path) {
  const std::size_t dot = path.find('.');
  const FieldDescription* const field = field_of(object, path.substr(0, dot));
  if (field == nullptr) return "";
  return dot == std::string_view::npos ? field->usual : usual_at(*field, path.substr(dot + 1));
}

}  // namespace

std::vector<FieldDifference> differences(const Plan& one, const Plan& other) {
  const JsonValue first = JsonValue::parse(plan_text(one));
  const JsonValue second = JsonValue::parse(plan_text(other));
  std::vector<Leaf> left, right;
  add_leaves(first, "", left);
  add_leaves(second, "", right);
  std::vector<Leaf> either = left;
  for (const Leaf& leaf : right)  // what only the second has, such as pipeline_delivery
    if (value_at(left, leaf.path).empty()) either.push_back(leaf);
  const FieldDescription all = plan_fields();
  std::vector<FieldDifference> found;
  for (const Leaf& leaf : either) {
    const std::string one_text = value_at(left, leaf.path), other_text = value_at(right, leaf.path);
    if (one_text != other_text && leaf.path != "name")
      found.push_back({leaf.path, one_text, other_text, usual_at(all, leaf.path)});
  }
  return found;
}

}  // namespace quintet
