#include "sim/validate/fit/free_parameter.h"

#include <gtest/gtest.h>

#include "sim/json/json_fields.h"
#include "sim/validate/rows/json_path.h"

namespace quintet {
namespace {

TEST(FreeParameter, PointsOfAnIntervalAreEvenByLogarithmAboveZero) {
  // 1 us to 100 us in 64 equal factors: half way, at 32, lies 10 us.
  const ParameterRange range = ContinuousRange{1, 100, "us"};
  EXPECT_EQ(value_at(range, 0), "\"1 us\"");
  EXPECT_EQ(value_at(range, 32), "\"10 us\"");
  EXPECT_EQ(value_at(range, 64), "\"100 us\"");
  EXPECT_EQ(*nearest_point(range, "\"10.1 us\""), 32);
  const ParameterRange from_zero = ContinuousRange{0, 0.2, ""};
  EXPECT_EQ(value_at(from_zero, 32), "0.1");
  EXPECT_EQ(*nearest_point(from_zero, "0.05"), 16);
  EXPECT_EQ(text(range), "1 us to 100 us");
}

TEST(FreeParameter, ValuesOutsideTheRangeAreRefusedWithIt) {
  const ParameterRange range = ContinuousRange{1, 100, "us"};
  EXPECT_EQ(nearest_point(range, "\"101 us\"").error().text(),
            "\"101 us\": lies outside its range, 1 us to 100 us");
  EXPECT_FALSE(nearest_point(range, "\"10 ms\""));
  EXPECT_FALSE(nearest_point(range, "true"));
  const ParameterRange choices = Choices{{"false", "true"}};
  EXPECT_EQ(*nearest_point(choices, "true"), 1);
  EXPECT_EQ(nearest_point(choices, "3").error().text(), "3: is none of its choices, false or true");
}

std::string error_of(const std::string& free) {
  const auto json = parse_json("{\"free\": [" + free + "]}", "stack.json");
  JsonObject holder(*json, "stack.json");
  (void)read_free_parameters(holder);
  return holder.failed() ? holder.error()->text() : "";
}

TEST(FreeParameter, ADeclarationNeedsMeaningRangeJudgeRowsAndSource) {
  const std::string good =
      R"({"parameter": "costs.eager", "meaning": "m", "range": ["1 us", "9 us"],
      "judged_by": "step_time", "chosen_on": ["rows"], "source": "s"})";
  EXPECT_EQ(error_of(good), "");
  const auto without = [&](const std::string& part, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(part), part.size(), instead);
    return error_of(text);
  };
  EXPECT_NE(without("\"meaning\": \"m\", ", ""), "");
  EXPECT_NE(without("\"source\": \"s\"", "\"sauce\": \"s\""), "");
  EXPECT_NE(without("\"9 us\"", "\"9 ms\"").find("expected two rising values of one unit"),
            std::string::npos);
  EXPECT_NE(without("\"rows\"", "").find("expected an array of at least one text"),
            std::string::npos);
  EXPECT_NE(without("step_time", "steptime").find("step_time"), std::string::npos);
}

TEST(JsonPath, FindsAndExchangesWhatAPathNames) {
  const std::string json = R"({"a": {"b": 1}, "list": [{"c": 2, "d": 0}, {"d": 0}, {"c": 3}]})";
  EXPECT_EQ(json_at(json, "a.b"), "1");
  EXPECT_EQ(json_at(json, "list.2.c"), "3");
  EXPECT_EQ(json_at(json, "list.*.c"), "2");
  EXPECT_FALSE(json_at(json, "a.c"));
  EXPECT_FALSE(json_at(json, "list.3.c"));
  const auto changed = with_json_at(json, "list.*.c", "\"9 us\"");
  ASSERT_TRUE(changed);
  EXPECT_EQ(json_at(*changed, "list.0.c"), "\"9 us\"");
  EXPECT_EQ(json_at(*changed, "list.2.c"), "\"9 us\"");
  EXPECT_EQ(json_at(*changed, "list.1"), "{\"d\":0}");
  EXPECT_FALSE(with_json_at(json, "a.c", "1"));
}

}  // namespace
}  // namespace quintet
