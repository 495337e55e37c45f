#include "sim/json/json_fields.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sim/base/nearest_word.h"

namespace quintet {
namespace {

using namespace literals;

// What reading `text` with `read` complains about; empty when it does not.
std::string complaint(const std::string& text, const std::function<void(JsonObject&)>& read) {
  const Result<nlohmann::json> json = parse_json(text, "plan.json");
  if (!json) return json.error().text();
  JsonObject object(*json, "plan.json");
  read(object);
  return object.error() ? object.error()->text() : "";
}

enum class Fruit { apple, pear };

TEST(JsonFields, EveryKindOfFieldIsRead) {
  const nlohmann::json json = *parse_json(
      R"({"text": "a", "number": 1.5, "integer": 3, "boolean": true, "bytes": "80 GiB",
          "seconds": "1.2 us", "bandwidth": "450 GB/s", "flops": "989.4 TFLOP/s", "watts": "700 W",
          "price": "2.5 $/h", "type": "bf16", "fruit": "pear", "integers": [1, 2]})",
      "plan.json");
  JsonObject object(json, "plan.json");
  EXPECT_EQ(object.text("text"), "a");
  EXPECT_EQ(object.number("number"), 1.5);
  EXPECT_EQ(object.integer("integer", 1, 3), 3);
  EXPECT_EQ(object.boolean("boolean"), true);
  EXPECT_EQ(object.bytes("bytes"), 80_GiB);
  EXPECT_EQ(object.seconds("seconds"), 1.2_us);
  EXPECT_EQ(object.bandwidth("bandwidth"), 450_GBps);
  EXPECT_EQ(object.flop_rate("flops"), 989.4_TFLOPs);
  EXPECT_EQ(object.watts("watts"), 700_W);
  EXPECT_EQ(object.price("price"), DollarsPerHour{2.5});
  EXPECT_EQ(object.data_type("type"), DataType::bf16);
  EXPECT_EQ(object.one_of<Fruit>("fruit", {{"apple", Fruit::apple}, {"pear", Fruit::pear}}),
            Fruit::pear);
  EXPECT_EQ(object.integers_or("integers", {}, 0, 9), (std::vector{1, 2}));
  object.refuse_unknown_keys();
  EXPECT_EQ(object.error(), std::nullopt);
}

TEST(JsonFields, AbsentOptionalFieldsAreTheirFallbacks) {
  const nlohmann::json json = nlohmann::json::object();
  JsonObject object(json, "plan.json");
  EXPECT_EQ(object.text_or("a", "x"), "x");
  EXPECT_EQ(object.number_or("a", 2.5), 2.5);
  EXPECT_EQ(object.integer_or("a", 7, 0, 9), 7);
  EXPECT_EQ(object.boolean_or("a", true), true);
  EXPECT_EQ(object.bytes_or("a", 1_KB), 1_KB);
  EXPECT_EQ(object.seconds_or("a", 1_ms), 1_ms);
  EXPECT_EQ(object.bandwidth_or("a", 1_GBps), 1_GBps);
  EXPECT_EQ(object.data_type_or("a", DataType::fp8), DataType::fp8);
  EXPECT_EQ(object.integers_or("a", {4}, 0, 9), std::vector{4});
  EXPECT_EQ(object.one_of_or<Fruit>("a", Fruit::pear, {{"apple", Fruit::apple}}), Fruit::pear);
  EXPECT_TRUE(object.objects_or_empty("a").empty());
  EXPECT_FALSE(object.object_or_empty("a").failed());
  EXPECT_EQ(object.raw("a"), nullptr);
  EXPECT_FALSE(object.failed());
}

TEST(JsonFields, AMissingFieldSaysWhatBelongsThere) {
  const auto missing = [](const std::function<void(JsonObject&)>& read) {
    return complaint("{}", read);
  };
  EXPECT_EQ(missing([](JsonObject& o) { o.text("a"); }), "plan.json: a: is missing, expected text");
  EXPECT_EQ(missing([](JsonObject& o) { o.integer("a", 1, 8); }),
            "plan.json: a: is missing, expected a whole number, from 1 to 8");
  EXPECT_EQ(missing([](JsonObject& o) { o.bandwidth("a"); }),
            "plan.json: a: is missing, expected text with a unit such as \"450 GB/s\"");
  EXPECT_EQ(missing([](JsonObject& o) { o.object("a"); }),
            "plan.json: a: is missing, expected an object");
}

TEST(JsonFields, AWrongKindIsNamed) {
  EXPECT_EQ(complaint(R"({"a": 1})", [](JsonObject& o) { o.text("a"); }),
            "plan.json: a: expected text, found the number 1");
  EXPECT_EQ(complaint(R"({"a": "1"})", [](JsonObject& o) { o.number("a"); }),
            "plan.json: a: expected a finite number, found \"1\"");
  EXPECT_EQ(complaint(R"({"a": null})", [](JsonObject& o) { o.boolean_or("a", true); }),
            "plan.json: a: expected true or false, found null");
  EXPECT_EQ(complaint(R"({"a": []})", [](JsonObject& o) { o.object("a"); }),
            "plan.json: a: expected an object, found an array");
  EXPECT_EQ(complaint(R"([1])", [](JsonObject&) {}),
            "plan.json: expected an object, found an array");
}

TEST(JsonFields, WholeNumbersHaveBounds) {
  const auto read = [](const std::string& value) {
    return complaint("{\"a\": " + value + "}", [](JsonObject& o) { o.integer("a", 1, 8); });
  };
  EXPECT_EQ(read("1"), "");
  EXPECT_EQ(read("8"), "");
  const std::string expected = "plan.json: a: expected a whole number, from 1 to 8, found ";
  EXPECT_EQ(read("0"), expected + "the number 0");
  EXPECT_EQ(read("9"), expected + "the number 9");
  EXPECT_EQ(read("2.5"), expected + "the number 2.5");
  EXPECT_EQ(read("18446744073709551615"), expected + "the number 18446744073709551615");
  EXPECT_EQ(read("-9223372036854775808"), expected + "the number -9223372036854775808");
  EXPECT_EQ(complaint(R"({"a": 0})",
                      [](JsonObject& o) { o.integer("a", 1, std::numeric_limits<int>::max()); }),
            "plan.json: a: expected a whole number, 1 or more, found the number 0");
}

TEST(JsonFields, QuantitiesNeedTheirUnit) {
  EXPECT_EQ(complaint(R"({"a": 450})", [](JsonObject& o) { o.bandwidth("a"); }),
            "plan.json: a: expected text with a unit such as \"450 GB/s\", found the number 450");
  const std::string wrong =
      complaint(R"({"a": "450 GB"})", [](JsonObject& o) { o.bandwidth("a"); });
  EXPECT_TRUE(wrong.starts_with("plan.json: a: expected a bandwidth such as \"450 GB/s\" (units: "))
      << wrong;
  EXPECT_TRUE(wrong.find(", found \"450 GB\"; did you mean \"450 GB/s\"") != std::string::npos)
      << wrong;
}

TEST(JsonFields, QuantitiesHaveASign) {
  EXPECT_EQ(complaint(R"({"a": "-5 GB/s"})", [](JsonObject& o) { o.bandwidth("a"); }),
            "plan.json: a: must not be negative, found \"-5 GB/s\"");
  EXPECT_EQ(complaint(R"({"a": "0 GB/s"})", [](JsonObject& o) { o.bandwidth_or("a", 1_GBps); }),
            "plan.json: a: must be more than zero, found \"0 GB/s\"");
  EXPECT_EQ(complaint(R"({"a": "0 us"})", [](JsonObject& o) { o.seconds("a"); }), "");
}

TEST(JsonFields, AWordOutOfASetNamesTheNearest) {
  const auto read = [](JsonObject& o) {
    o.one_of<Fruit>("a", {{"apple", Fruit::apple}, {"pear", Fruit::pear}});
  };
  EXPECT_EQ(complaint(R"({"a": "aple"})", read),
            "plan.json: a: expected one of apple, pear, found \"aple\"; did you mean \"apple\"?");
  EXPECT_EQ(complaint(R"({"a": "bratwurst"})", read),
            "plan.json: a: expected one of apple, pear, found \"bratwurst\"");
}

TEST(JsonFields, PlacesNameTheWayThroughTheFile) {
  const auto read = [](JsonObject& o) {
    for (JsonObject& host : o.objects_or_empty("hosts")) {
      JsonObject nic = host.object("nics");
      nic.integer("count", 1, 8);
      host.adopt(nic);
      o.adopt(host);
    }
  };
  EXPECT_EQ(complaint(R"({"hosts": [{"nics": {"count": 8}}, {"nics": {"count": 9}}]})", read),
            "plan.json: hosts[1].nics.count: expected a whole number, from 1 to 8, found the "
            "number 9");
  EXPECT_EQ(complaint(R"({"hosts": [{"nics": {"count": 8}}, 3]})", read),
            "plan.json: hosts[1]: expected an object, found the number 3");
  EXPECT_EQ(complaint(R"({"a": [1, 2, 30]})", [](JsonObject& o) { o.integers_or("a", {}, 0, 9); }),
            "plan.json: a[2]: expected an array of whole numbers, each from 0 to 9, found the "
            "number 30");
}

TEST(JsonFields, AnUnknownKeyNamesTheNearestKnownOne) {
  const auto read = [](JsonObject& o) {
    o.integer_or("tensor", 1, 1, 8);
    o.integer_or("pipeline", 1, 1, 8);
    o.refuse_unknown_keys();
  };
  EXPECT_EQ(complaint(R"({"tensr": 8})", read),
            "plan.json: tensr: unknown key; did you mean \"tensor\"?");
  EXPECT_EQ(complaint(R"({"colour": 8})", read),
            "plan.json: colour: unknown key; known are pipeline, tensor");
}

TEST(JsonFields, TheFirstMistakeIsTheOneTold) {
  EXPECT_EQ(complaint(R"({"a": "x", "b": "y"})",
                      [](JsonObject& o) {
                        o.number("b");
                        o.number("a");
                        o.refuse_unknown_keys();
                      }),
            "plan.json: b: expected a finite number, found \"y\"");
}

TEST(JsonFields, AfterAMistakeRequiredNumbersStayWithinTheirBounds) {
  const nlohmann::json json = nlohmann::json::object();
  JsonObject object(json, "plan.json");
  EXPECT_EQ(object.integer("a", 1, 8), 1);
  EXPECT_EQ(object.integer("b", 2, 8), 2);
  EXPECT_EQ(object.error()->where, "plan.json: a");
}

TEST(Nearest, IsTheSmallestEditDistance) {
  const std::vector<std::string_view> words{"ring", "tree", "nvls", "halving_doubling"};
  EXPECT_EQ(nearest("rign", words), "ring");           // neighbours swapped: one edit
  EXPECT_EQ(nearest("king", {"lung"}), std::nullopt);  // two edits of four letters: no typo
  EXPECT_EQ(nearest("rng", words), "ring");
  EXPECT_EQ(nearest("halving-doublng", words), "halving_doubling");
  EXPECT_EQ(nearest("", words), std::nullopt);
  EXPECT_EQ(nearest("x", {"a"}), std::nullopt);
  EXPECT_EQ(nearest(std::string(1'000'000, 'r'), words), std::nullopt);
}

}  // namespace
}  // namespace quintet
