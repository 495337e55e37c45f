#include "sim/base/report.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

TEST(HtmlPage, WritesTextAsTextWhateverItHolds) {
  EXPECT_EQ(html_table({{"name", "<b>"}, {"a & b", "say \"x\""}}),
            "<table><thead><tr><th>name</th><th>&lt;b&gt;</th></tr></thead><tbody>\n"
            "<tr><td>a &amp; b</td><td>say &quot;x&quot;</td></tr>\n"
            "</tbody></table>\n");
}

TEST(HtmlPage, HasItsTitleTwiceAndItsOwnStyleLast) {
  const std::string page = html_page("a < b", "svg{x:y}", "<p>all</p>\n");
  EXPECT_NE(page.find("<title>a &lt; b</title><style>"), std::string::npos);
  EXPECT_NE(page.find("svg{x:y}</style></head><body>\n<h1>a &lt; b</h1>\n<p>all</p>\n</body>"),
            std::string::npos);
}

}  // namespace
}  // namespace quintet
