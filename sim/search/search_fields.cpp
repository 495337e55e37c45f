#include "sim/search/search_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/plan/asked_plan.h"

namespace quintet {
namespace {

std::vector<SearchField> all_fields() {
  std::vector<SearchField> all;
  for (const auto fields : {fields_of_parallelism(), fields_of_bytes()})
    all.insert(all.end(), fields.begin(), fields.end());
  return all;
}

// A plan in which nothing else is said; its length is never taken from it unless asked for.
Result<Plan> plan_with(const FieldChanges& changes) {
  return asked_plan({"{\"parallelism\": {\"sequence_length\": 1}}", "the plan asked for", false},
                    changes, 0);
}

}  // namespace

std::span<const SearchField> search_fields() {
  static const std::vector<SearchField> all = all_fields();
  return all;
}

const SearchField* search_field(std::string_view path) {
  for (const SearchField& field : search_fields())
    if (field.path == path) return &field;
  return nullptr;
}

FieldChanges changes_of(const SearchField& field, const std::string& value,
                        const std::string& asked) {
  if (field.changes == nullptr) return {{std::string(field.path), value, asked + value}};
  FieldChanges changes = field.changes(value);
  for (FieldChange& change : changes) change.asked = asked + value;
  return changes;
}

Result<Dimension> dimension_of(const SearchField& field, const std::vector<std::string>& values,
                               const std::string& asked) {
  constexpr std::size_t most_values = 4096;
  if (values.size() > most_values)
    return Error{asked + shown(values.front(), 80) + ",...",
                 fmt::format("is one of {} values, and at most {} of a field can be searched; give "
                             "fewer values",
                             values.size(), most_values)};
  Dimension dimension{&field, {}};
  for (const std::string& value : values) {
    Result<Plan> plan = plan_with(changes_of(field, value, asked));
    if (!plan) return plan.error();
    const bool twice = std::any_of(dimension.choices.begin(), dimension.choices.end(),
                                   [&](const Choice& choice) { return choice.sample == *plan; });
    if (twice) return Error{asked + shown(value, 80), "is listed twice; give each value once"};
    dimension.choices.push_back({value, std::move(*plan)});
  }
  return dimension;
}

}  // namespace quintet
