// What is written as JSON, to the byte.
#include "sim/json/json_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace quintet {
namespace {

TEST(JsonValue, KeepsItsKeysInTheOrderGiven) {
  JsonValue value{{"z", 1}, {"a", {{"y", true}, {"b", nullptr}}}};
  value["m"] = "text";
  EXPECT_EQ(value.dump(), R"({"z":1,"a":{"y":true,"b":null},"m":"text"})");
}

// 0.1 is the shortest text that reads back; a whole double keeps its ".0" and an integer has none.
TEST(JsonValue, WritesNumbersThatReadBack) {
  const JsonValue value = std::vector<double>{0.1, 2.0, 1e300};
  EXPECT_EQ(value.dump(), "[0.1,2.0,1e+300]");
  EXPECT_EQ(JsonValue(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(JsonValue(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(JsonValue(std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(JsonValue, NullBecomesWhatIsPutIntoIt) {
  JsonValue value;
  value["list"].push_back(1);
  value["list"].push_back({{"two", 2}});
  EXPECT_EQ(value.dump(), R"({"list":[1,{"two":2}]})");
  EXPECT_EQ(JsonValue::array().dump() + JsonValue::object().dump() + JsonValue().dump(),
            "[]{}null");
}

TEST(JsonValue, AnUpdateReplacesInPlaceAndAppendsTheRest) {
  JsonValue value{{"a", 1}, {"b", 2}};
  value.update({{"c", 3}, {"a", 4}});
  EXPECT_EQ(value.dump(), R"({"a":4,"b":2,"c":3})");
  value.erase("b");
  EXPECT_EQ(value.dump(), R"({"a":4,"c":3})");
}

TEST(JsonValue, ReadsBackWhatItWrote) {
  const std::string text = R"({
  "b": [
    1,
    -2,
    0.5,
    "\"\n"
  ],
  "a": {},
  "c": null
})";
  EXPECT_EQ(JsonValue::parse(text).dump(2), text);
}

// 0xff begins nothing in UTF-8; U+FFFD, in bytes ef bf bd, stands for it.
TEST(JsonValue, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(JsonValue("a\xff").dump(), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace quintet
