#include "traces/json_stream/json_scanner.h"

#include <gtest/gtest.h>

#include <string>

namespace quintet::json_stream {
namespace {

// Brackets and quotes in strings, escaped and not, at all places of a block of 64 bytes.
TEST(JsonScanner, FindsTheEndOfElementsWhereverTheyLie) {
  const std::string element = R"({"a}": "]}{[\"", "b\\": [1, {"c": "\\\\\"]"}], "d": "\\"})";
  for (std::size_t shift = 0; shift < 130; ++shift) {
    const std::string before = "{\"" + std::string(shift, 'x') + "\": 1}, ";
    const std::string text = before + element + ", {\"open\": [";
    const CompleteElements found = complete_elements(text);
    EXPECT_EQ(found.end, before.size() + element.size()) << shift;
    EXPECT_FALSE(found.closed);
    const std::string whole = before + element + " ] }";
    EXPECT_EQ(complete_elements(whole).end, before.size() + element.size()) << shift;
    EXPECT_EQ(complete_elements(whole).closed, before.size() + element.size() + 1) << shift;
  }
}

TEST(JsonScanner, FindsNothingInHalfAnElement) {
  EXPECT_EQ(complete_elements(R"({"a": "}")").end, 0u);
  EXPECT_EQ(complete_elements("").end, 0u);
}

// Cut into two pieces anywhere, a value ends where it ends in one.
TEST(JsonScanner, EndsValuesAcrossPieces) {
  for (const std::string value :
       {R"({"a": ["}\\", "\"]", [[]]]})", R"("te\\xt\"")", "-12.5e3", "[]", "true"}) {
    const std::string text = value + " , more";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      ValueScanner scanner;
      std::size_t end = 0;
      if (const auto first = scanner.end_in(text.substr(0, cut)))
        end = *first;
      else if (const auto second = scanner.end_in(text.substr(cut)))
        end = cut + *second;
      EXPECT_EQ(end, value.size()) << value << " cut at " << cut;
    }
  }
}

TEST(JsonScanner, DoesNotEndValuesThatGoOn) {
  for (const std::string value : {R"({"a": 1)", R"("text\")", "12", "   "})
    EXPECT_FALSE(ValueScanner().end_in(value)) << value;
}

}  // namespace
}  // namespace quintet::json_stream
