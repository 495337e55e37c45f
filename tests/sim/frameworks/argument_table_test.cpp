// The tables of arguments, as the parsers have types and choices.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/frameworks/framework.h"
#include "sim/plan/plan_file.h"

namespace quintet::test {
namespace {

// "parallelism.float8.scaling" is a field of plan.json.
bool is_field(const FieldDescription& object, std::string_view path) {
  const std::size_t dot = path.find('.');
  const FieldDescription* const field = field_of(object, path.substr(0, dot));
  if (field == nullptr) return false;
  return dot == std::string_view::npos || is_field(*field, path.substr(dot + 1));
}

TEST(ArgumentTables, EveryNameStandsOnceAndSaysAFieldThatIsThere) {
  const FieldDescription plan = plan_fields();
  for (const FrameworkRow& framework : frameworks()) {
    std::set<std::string_view> names;
    for (const ArgumentRow& row : framework.arguments) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_TRUE(row.field.empty() || is_field(plan, row.field)) << row.name;
    }
  }
}

TEST(ArgumentTables, ValuesOfAnotherTypeAreRefused) {
  for (const FrameworkRow& framework : frameworks())
    for (const ArgumentRow& row : framework.arguments) {
      const bool takes_anything = row.type == ArgumentType::text && row.choices.empty();
      EXPECT_EQ(refusal(row, "purple").has_value(), !takes_anything) << row.name;
      EXPECT_EQ(refusal(row, "3").has_value(),
                row.type == ArgumentType::flag || !row.choices.empty())
          << row.name;
      EXPECT_EQ(refusal(row, "1.5").has_value(), row.type != ArgumentType::real && !takes_anything)
          << row.name;
    }
}

TEST(ArgumentTables, EachChoiceIsTaken) {
  for (const FrameworkRow& framework : frameworks())
    for (const ArgumentRow& row : framework.arguments) {
      std::string_view rest = row.choices;
      while (!rest.empty()) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        EXPECT_FALSE(refusal(row, rest.substr(0, bar)).has_value()) << row.name;
        rest.remove_prefix(std::min(bar + 1, rest.size()));
      }
    }
}

TEST(ArgumentTables, NumbersTooLargeAreRefused) {
  const ArgumentRow row{"--n", ArgumentType::integer};
  EXPECT_EQ(refusal(row, "99999999999"), "--n: expected a whole number, found \"99999999999\"");
  EXPECT_EQ(refusal(row, "+8"), std::nullopt);
}

}  // namespace
}  // namespace quintet::test
