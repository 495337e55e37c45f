#include "sim/picture/tornado.h"

#include <gtest/gtest.h>

#include "sim/picture/scatter.h"
#include "tests/support/xml_elements.h"

namespace quintet::test {
namespace {

ShownNumber number(double value) {
  return {value, std::to_string(static_cast<int>(value)), std::to_string(value)};
}

std::vector<XmlElement> elements_of(const Picture& picture) {
  return xml_elements(svg_file(picture));
}

TEST(Tornado, HasABarForEachNumber) {
  const Tornado tornado{
      "changes",   "What would help",
      "ms",        "now",
      number(100), "twice",
      "a tenth",   {{"NIC", number(80), number(95), ""}, {"NVLink", {}, {}, "is not there"}}};
  const Picture picture = draw(tornado);
  EXPECT_EQ(values(elements_of(picture), "data-value"), (std::vector<double>{80, 95}));
  EXPECT_NE(picture.description.find("NVLink: is not there"), std::string::npos);
}

TEST(Tornado, SaysWhatItLeftOut) {
  Tornado tornado{"changes", "title", "ms", "now", number(100), "then", "", {}};
  tornado.rows.assign(most_tornado_rows + 3, {"row", number(90), {}, ""});
  const Picture picture = draw(tornado);
  EXPECT_EQ(values(elements_of(picture), "data-value").size(), most_tornado_rows);
  EXPECT_EQ(picture.notes.back(), "The first 24 of 27; --json has all.");
}

TEST(Tornado, OfNothingButTheReferenceIsDrawn) {
  const Picture picture = draw(Tornado{"none", "title", "ms", "now", number(0), "then", "", {}});
  EXPECT_FALSE(elements_of(picture).empty());
}

TEST(Scatter, NamesWhatNothingBeats) {
  const Scatter scatter{"plans",
                        "Plans",
                        "step",
                        "ms",
                        "energy",
                        "kJ",
                        "best",
                        "beaten",
                        {{"one", number(10), number(3), true, true},
                         {"two", number(20), number(2), true, false},
                         {"three", number(30), number(4), false, false}}};
  const Picture picture = draw(scatter);
  EXPECT_FALSE(elements_of(picture).empty());
  EXPECT_EQ(picture.description,
            "best: one: step 10 ms, energy 3 kJ. two: step 20 ms, energy 2 "
            "kJ. ");
}

TEST(Scatter, OfOnePointHasAxes) {
  const Scatter scatter{"plan", "Plan",   "step",
                        "ms",   "energy", "kJ",
                        "best", "beaten", {{"one", number(10), number(0), true, true}}};
  EXPECT_FALSE(elements_of(draw(scatter)).empty());
}

}  // namespace
}  // namespace quintet::test
