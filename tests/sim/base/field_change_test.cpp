// Fields changed before a file is read: where they are, what they become, who is blamed.
#include "sim/json/field_change.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quintet {
namespace {

FieldChange change(const std::string& path, const std::string& value) {
  return {path, value, "--set " + path + "=" + value};
}

std::string changed(const std::string& text, const FieldChanges& changes) {
  const Result<std::string> result = changed_text(text, "file.json", changes);
  return result ? *result : result.error().text();
}

TEST(FieldChange, ReplacesAddsAndAppends) {
  EXPECT_EQ(changed(R"({"a": {"b": 1}})", {change("a.b", "2")}), R"({"a":{"b":2}})");
  EXPECT_EQ(changed("{}", {change("a.b", "bf16")}), R"({"a":{"b":"bf16"}})");
  EXPECT_EQ(changed(R"({"a": [{"b": 1}]})", {change("a[0].b", "2"), change("a[1].b", "3")}),
            R"({"a":[{"b":2},{"b":3}]})");
}

TEST(FieldChange, TakesValuesWithoutQuotes) {
  EXPECT_EQ(changed("{}", {change("a", "450GB/s")}), R"({"a":"450GB/s"})");
  EXPECT_EQ(changed("{}", {change("a", "True")}), R"({"a":true})");
  EXPECT_EQ(changed("{}", {change("a", "[7,5]")}), R"({"a":[7,5]})");
  EXPECT_EQ(changed("{}", {change("a", "[tensor,data]")}), R"({"a":["tensor","data"]})");
  EXPECT_EQ(changed("{}", {change("a", "\"8\"")}), R"({"a":"8"})");
}

TEST(FieldChange, LeavesATextWithoutChangesAsItIs) {
  EXPECT_EQ(changed(" {\"b\":1,  \"a\":2}", {}), " {\"b\":1,  \"a\":2}");
}

TEST(FieldChange, SaysWhichPathIsNone) {
  for (const char* const path : {"", "a..b", "a[", "a[x]", ".a", "a."})
    EXPECT_NE(changed("{}", {change(path, "1")}).find("expected a field such as"),
              std::string::npos)
        << path;
  EXPECT_NE(changed(R"({"a": 1})", {change("a.b", "1")}).find("has no fields"), std::string::npos);
  EXPECT_NE(changed(R"({"a": []})", {change("a[2]", "1")}).find("the next would be [0]"),
            std::string::npos);
}

TEST(FieldChange, IsBlamedForItsOwnFieldOnly) {
  const FieldChanges changes{change("parallelism.tensor", "x"), change("ccl.rules[0].kind", "y")};
  EXPECT_EQ(blamed({"f.json: parallelism.tensor", "wrong"}, changes).where,
            "--set parallelism.tensor=x");
  EXPECT_EQ(blamed({"f.json: parallelism.tensors", "wrong"}, changes).where,
            "f.json: parallelism.tensors");
  EXPECT_EQ(blamed({"f.json: ccl", "wrong"}, changes).where, "f.json: ccl");
  EXPECT_EQ(blamed({"f.json: ccl", "unknown key"}, changes).where, "--set ccl.rules[0].kind=y");
}

TEST(ListedValues, ArePartedAtCommasOutsideOfBrackets) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(listed("1,2, 4"), (Values{"1", "2", "4"}));
  EXPECT_EQ(listed("[7,5],[3,1]"), (Values{"[7,5]", "[3,1]"}));
  EXPECT_EQ(listed("\"a,b\",c"), (Values{"\"a,b\"", "c"}));
  EXPECT_EQ(listed("450 GB/s"), (Values{"450 GB/s"}));
  EXPECT_EQ(listed("1,"), (Values{"1", ""}));
}

}  // namespace
}  // namespace quintet
