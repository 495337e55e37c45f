// Drawings by their numbers, and by what a parser of XML makes of them.
#include "sim/picture/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "sim/picture/fill_bars.h"
#include "sim/picture/lanes.h"
#include "sim/picture/load_tiers.h"
#include "sim/picture/page.h"
#include "sim/picture/pass_grid.h"
#include "sim/picture/picture_files.h"
#include "sim/picture/ranges.h"
#include "sim/picture/stacked_bars.h"
#include "sim/picture/waterfall.h"
#include "tests/support/xml_elements.h"

namespace quintet::test {
namespace {

ShownNumber shown(double value) {
  return {value, fmt::format("{:g}", value), fmt::format("{:g}", value)};
}

StackedBar bar(const std::string& name, const std::vector<double>& parts) {
  StackedBar made{name, {}, shown(std::accumulate(parts.begin(), parts.end(), 0.0)), {}};
  for (const double part : parts) made.parts.push_back(shown(part));
  return made;
}

StackedBars two_bars() {
  return {"steps",
          "Steps",
          "ms",
          {{"compute", Look::blue}, {"bubble", Look::yellow}, {"idle", Look::grey}},
          {bar("a", {5, 3, 0}), bar("<b> & \"c\"", {10, 1, 5})},
          "step"};
}

// Of the boxes of a bar.
double sum(const std::vector<XmlElement>& elements, int bar, const std::string& attribute) {
  double all = 0;
  for (const XmlElement& element : elements) {
    const auto of = element.attributes.find("data-bar");
    if (of != element.attributes.end() && of->second == std::to_string(bar))
      all += std::stod(element.attributes.at(attribute));
  }
  return all;
}

std::size_t count(const std::vector<XmlElement>& elements, const std::string& name,
                  const std::string& attribute, const std::string& value) {
  return static_cast<std::size_t>(
      std::count_if(elements.begin(), elements.end(), [&](const XmlElement& element) {
        const auto found = element.attributes.find(attribute);
        return element.name == name && found != element.attributes.end() && found->second == value;
      }));
}

// 5 + 3 are 8 and 10 + 1 + 5 are 16: the second bar is twice as high as the first, and each is as
// high as its parts.
TEST(StackedBars, AreAsHighAsTheirPartsTogether) {
  const auto elements = xml_elements(svg_file(draw(two_bars())));
  EXPECT_EQ(sum(elements, 0, "data-value"), 8);
  EXPECT_EQ(sum(elements, 1, "data-value"), 16);
  EXPECT_NEAR(sum(elements, 1, "height"), 2 * sum(elements, 0, "height"), 1e-3);
}

// A box begins where the one below it ends.
TEST(StackedBars, LeaveNoGapBetweenParts) {
  std::vector<std::pair<double, double>> boxes;  // from, to
  for (const XmlElement& element : xml_elements(svg_file(draw(two_bars()))))
    if (element.attributes.contains("data-bar") && element.attributes.at("data-bar") == "1") {
      const double y = std::stod(element.attributes.at("y"));
      boxes.emplace_back(y, y + std::stod(element.attributes.at("height")));
    }
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_NEAR(boxes[0].first, boxes[1].second, 1e-3);
  EXPECT_NEAR(boxes[1].first, boxes[2].second, 1e-3);
}

// 16 is the highest without an interval; one to 32 halves all.
TEST(StackedBars, MakeRoomForIntervals) {
  StackedBars bars = two_bars();
  const double before = sum(xml_elements(svg_file(draw(bars))), 1, "height");
  bars.bars[1].interval = {shown(12), shown(32)};
  const auto elements = xml_elements(svg_file(draw(bars)));
  EXPECT_NEAR(sum(elements, 1, "height"), before / 2, 1e-3);
  EXPECT_EQ(count(elements, "path", "class", "whisker"), 3u);
}

TEST(StackedBars, SayWhatTheyLeaveOut) {
  StackedBars bars = two_bars();
  for (int i = 0; i < 6; ++i) bars.bars.push_back(bar("more", {1, 1, 1}));
  const Picture picture = draw(bars);
  EXPECT_EQ(picture.notes, std::vector<std::string>{"The first 5 of 8; --json has all."});
  EXPECT_EQ(sum(xml_elements(svg_file(picture)), 5, "data-value"), 0);
}

TEST(Picture, WritesNamesAsText) {
  StackedBars bars = two_bars();
  bars.title = "<script>&\"";
  bars.bars[0].name = "bell \a, \xFF bad";
  const std::string file = svg_file(draw(bars));
  EXPECT_EQ(file.find("<script"), std::string::npos);
  EXPECT_EQ(file.find("<b>"), std::string::npos);
  EXPECT_EQ(file.find('\a'), std::string::npos);
  EXPECT_EQ(file.find('\xFF'), std::string::npos);
  const auto elements = xml_elements(file);
  EXPECT_EQ(elements[1].name, "title");
  EXPECT_EQ(elements[1].text, "<script>&\"");
}

TEST(Picture, HasATitleAndADescriptionForWhoCannotSeeIt) {
  const auto elements = xml_elements(inline_svg(draw(two_bars())));
  EXPECT_EQ(elements[0].attributes.at("role"), "img");
  EXPECT_EQ(elements[0].attributes.at("aria-labelledby"), "steps-title steps-text");
  EXPECT_EQ(elements[1].attributes.at("id"), "steps-title");
  EXPECT_EQ(elements[2].name, "desc");
  EXPECT_NE(elements[2].text.find("a: 8 ms, compute 5, bubble 3"), std::string::npos)
      << elements[2].text;
}

// All but the plain look have a texture, so that a print without colours tells them apart.
TEST(Picture, RestsOnNoColourAlone) {
  Canvas canvas("looks");
  for (int look = 0; look < look_count; ++look) canvas.box({0, 0, 8, 8}, static_cast<Look>(look));
  const auto elements = xml_elements("<svg>" + canvas.body() + "</svg>");
  EXPECT_EQ(std::count_if(elements.begin(), elements.end(),
                          [](const XmlElement& each) { return each.name == "pattern"; }),
            look_count - 1);
}

PassGrid grid_of(std::size_t rows, std::size_t passes) {
  PassGrid grid{"pipeline", "Pipeline", "ms", {}, {}, 10.0 * static_cast<double>(passes), {}};
  for (std::size_t row = 0; row < rows; ++row) {
    grid.rows.push_back({"stage", "0 %"});
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const double begin = 10.0 * static_cast<double>(pass);
      grid.passes.push_back({row, "F", Look::blue, begin, begin + 9, "0", "tip"});
    }
  }
  return grid;
}

// 4 rows of 1,000 passes in 10,000 ms: 1,200 are those that begin before 3,000.
TEST(PassGrid, StaysBoundedAndSaysSo) {
  const Picture picture = draw(grid_of(4, 1000));
  EXPECT_EQ(count(xml_elements(svg_file(picture)), "rect", "data-pass", "F"), 1200u);
  EXPECT_EQ(picture.notes,
            std::vector<std::string>{"The first 1200 passes: 3000 of 10000 ms; --trace has all."});
  EXPECT_EQ(draw(grid_of(20, 2)).notes, std::vector<std::string>{"The first 16 of 20 stages."});
}

// 10 + 4 - 6 = 8.
TEST(Waterfall, ChangesLeadFromOneEndToTheOther) {
  const Waterfall waterfall{
      "causes",   "Causes",  "ms",     "predicted",
      "measured", shown(10), shown(8), {{"more", shown(4)}, {"less", shown(-6)}}};
  const auto elements = xml_elements(svg_file(draw(waterfall, 1)));
  EXPECT_EQ(values(elements, "data-end"), (std::vector<double>{10, 8}));
  EXPECT_EQ(values(elements, "data-change"), (std::vector<double>{4, -6}));
  double more = 0, less = 0;  // widths
  for (const XmlElement& element : elements) {
    if (!element.attributes.contains("data-change")) continue;
    (element.attributes.at("data-change") == "4" ? more : less) =
        std::stod(element.attributes.at("width"));
  }
  EXPECT_NEAR(less / more, 1.5, 1e-3);
}

// 20 causes of 1: eleven are drawn, nine are one of 9.
TEST(Waterfall, DrawsTheSmallestCausesTogether) {
  Waterfall waterfall{"causes",   "Causes",   "ms",       "predicted",
                      "measured", shown(100), shown(120), {}};
  for (int i = 0; i < 20; ++i) waterfall.changes.push_back({"cause", shown(1)});
  const Picture picture = draw(waterfall, 1);
  EXPECT_NE(picture.body.find("9 other causes: +9.0 ms"), std::string::npos) << picture.body;
  EXPECT_EQ(picture.notes.back(), "9 causes are drawn together; --json has each.");
  EXPECT_EQ(picture.notes[1], "The axis begins at 99, not at 0.");
}

// 10,000 spans that touch are one box; those a hundredth of the step apart are as many as they are.
TEST(Lanes, DrawWhatLiesTogetherAsOne) {
  Lanes lanes{"ranks", "Ranks", "ms", {{"rank 0", {{"computes", Look::blue, {}}}}}, 10000};
  for (int i = 0; i < 10000; ++i) lanes.lanes[0].strips[0].spans.emplace_back(i, i + 1);
  const auto boxes = [](const Picture& picture) {
    return std::count(picture.body.begin(), picture.body.end(), 'z');
  };
  EXPECT_EQ(boxes(draw(lanes)), 1);
  lanes.lanes[0].strips[0].spans = {{0, 50}, {150, 200}, {300, 301}};
  EXPECT_EQ(boxes(draw(lanes)), 3);
}

TEST(LoadTiers, DrawTheBusiestOfManyLinks) {
  std::vector<double> loads(1000, 0.1);
  loads[777] = 0.5;
  const Picture picture = draw(LoadTiers{
      "links", "Links", {{"leaf to spine", "1,000 links", loads, shown(0.5), shown(0.1)}}});
  const auto elements = xml_elements(svg_file(picture));
  EXPECT_EQ(values(elements, "data-load"), std::vector<double>{0.5});
  EXPECT_EQ(picture.notes.back(), "60 of 1000 links are drawn, evenly spaced.");
}

// 30 of 40 and 50 of 40: the second is beyond the line at 40.
TEST(FillBars, AreAsLongAsTheirPartsBesideTheLimit) {
  const FillBars bars{"memory",
                      "Memory",
                      "GiB",
                      {{"weights", Look::blue}, {"activations", Look::yellow}},
                      {bar("stage 0", {10, 20}), bar("stage 1", {25, 25})},
                      shown(40),
                      "capacity"};
  const auto elements = xml_elements(svg_file(draw(bars)));
  EXPECT_NEAR(sum(elements, 1, "width") / sum(elements, 0, "width"), 50.0 / 30, 1e-3);
  EXPECT_EQ(count(elements, "path", "class", "limit"), 1u);
}

TEST(RangeRows, HaveAWhiskerWhereAnIntervalIsKnown) {
  const RangeRows ranges{
      "loop",
      "Loop",
      "ms",
      "predicted",
      "90 %",
      "measured",
      {{"a", shown(10), {{shown(8), shown(12)}}, shown(11)}, {"b", shown(5), {}, {}}}};
  const auto elements = xml_elements(svg_file(draw(ranges)));
  EXPECT_EQ(count(elements, "path", "class", "whisker"), 4u);  // three, and the legend's
  EXPECT_EQ(count(elements, "circle", "class", "ring"), 2u);   // one, and the legend's
}

TEST(Page, NeedsNothingButItselfAndIsXmlToo) {
  const Page page{"a < b",
                  {"one & two"},
                  {{"head <i>", {{"step", "1 & 2"}}}},
                  {draw(two_bars())},
                  {{"Table", {}, {{"", "x"}, {"<td>", "1"}}}}};
  const std::string html = page_html(page);
  const auto elements = xml_elements(html);
  EXPECT_EQ(count(elements, "meta", "name", "viewport"), 1u);
  for (const char* const loading : {"<script", "http-equiv", "src=", "href=", "@import", "url(h"})
    EXPECT_EQ(html.find(loading), std::string::npos) << loading;
  for (const char* const part : {"prefers-color-scheme:dark", "@media print", "overflow-x:auto"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(PictureFiles, NameTheFolderThatCannotBeWritten) {
  EXPECT_FALSE(no_place_for({"", ""}));
  EXPECT_EQ(no_place_for({"", "/dev/null"})->text(),
            "--svg /dev/null: is a file, expected a folder");
  EXPECT_NE(no_place_for({"", "/dev/null/x"})->text().find("--svg /dev/null/x: the folder cannot"),
            std::string::npos);
  EXPECT_NE(no_place_for({"/dev/null/x.html", ""})->text().find("no such directory"),
            std::string::npos);
}

TEST(Ticks, AreRoundAndWithin) {
  EXPECT_EQ(ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(99, 120, 5), (std::vector<double>{100, 105, 110, 115, 120}));
  EXPECT_TRUE(ticks(1, 1, 5).empty());
}

}  // namespace
}  // namespace quintet::test
