#include "sim/json/outer_keys.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

using Keys = std::vector<std::string>;

TEST(OuterKeys, LeavesInnerOnesOut) {
  EXPECT_EQ(outer_keys(R"({"a": {"b": [1, {"c": 2}]}, "d": null})"), (Keys{"a", "d"}));
}

TEST(OuterKeys, GoesAsFarAsTheTextDoes) {
  EXPECT_EQ(outer_keys(R"({"a": [1, 2], "b": "half a te)"), (Keys{"a", "b"}));
  EXPECT_EQ(outer_keys(R"({"a": 1, oops, "b": 2})"), (Keys{"a"}));
}

TEST(OuterKeys, AreNoneOfWhatIsNoObject) {
  for (const char* text : {"", "[{\"a\": 1}]", "\"a\"", "7", "Dear Sir"})
    EXPECT_EQ(outer_keys(text), Keys{}) << text;
}

}  // namespace
}  // namespace quintet
