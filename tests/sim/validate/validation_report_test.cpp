#include "sim/validate/report/validation_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/validate/report/drawings.h"
#include "tests/sim/validate/rows.h"
#include "tests/sim/validate/shelf.h"

namespace quintet {
namespace {

RowVerdict predicted(double seconds, double measured) {
  RowVerdict verdict;
  verdict.row = parse_rows(header() + gpt_row(), "rows/invented.csv")->front();
  verdict.row.model = "a <b> & \"c\"";
  verdict.row.step_time_s = measured;
  verdict.stack = "Megatron-LM";
  verdict.prediction.emplace();
  verdict.prediction->step = Seconds{seconds};
  verdict.prediction->parts = {{"compute", 0, Seconds{0.6 * seconds}},
                               {"attention", 1, Seconds{0.6 * seconds}},
                               {"exposed communication", 0, Seconds{0.4 * seconds}},
                               {"tensor", 1, Seconds{0.3 * seconds}},
                               {"data", 1, Seconds{0.1 * seconds}},
                               {"idle", 0, Seconds{0}}};
  return verdict;
}

RowVerdict unexpressed(const std::string& reason) {
  RowVerdict verdict;
  verdict.row = parse_rows(header() + gpt_row(), "rows/invented.csv")->front();
  verdict.stack = "Megatron-LM";
  verdict.reason = reason;
  return verdict;
}

int count_of(const std::string& text, const std::string& part) {
  int number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST(Breakdown, NamesPartsAndWhoseCommunicationIsExposed) {
  EXPECT_EQ(breakdown_text(*predicted(2, 1).prediction),
            "compute 60 %, exposed communication 40 % (tensor 30 %, data 10 %)");
}

TEST(Report, ReasonsAreCountedMostFrequentFirst) {
  const std::vector<RowVerdict> verdicts{unexpressed("b"), unexpressed("a"), predicted(1, 1),
                                         unexpressed("a")};
  EXPECT_EQ(reasons_of(verdicts), (std::vector<std::pair<std::string, int>>{{"a", 2}, {"b", 1}}));
}

// Two rows, 1.1 and 0.8 of what was measured: MAPE 15 %, bias -5 %, and the memory of both right.
TEST(Markdown, HasALinePerSourceWithErrorsParametersAndCrossValidation) {
  std::vector<SourceSummary> summary = summaries({predicted(1.1, 1), predicted(0.8, 1)});
  summary.front().free_parameters = 3;
  summary.front().chosen_here = 2;
  summary.front().cross_validated = CrossValidated{0.10, 0.12, 2};
  const std::string page = validation_markdown(summary, {});
  const std::size_t line = page.find("| invented, Megatron-LM |");
  ASSERT_NE(line, std::string::npos) << page;
  // Without two different plans of equal work ordered differently: tau none. One sheet, of which
  // 0.8 is picked; both were measured at 1 s: no regret.
  EXPECT_EQ(page.substr(line, page.find('\n', line) - line),
            "| invented, Megatron-LM | 2 | 2 | 2 | 15.0 | 15.0 | 20.0 | -5.0 |  | 1 | 0.0, 0.0 | "
            "100.0 of 2 |"
            "  | 3 / 2 | 12.0 (1.20x) |");
}

TEST(Markdown, GoesBetweenTheMarksAndNowhereElse) {
  const std::string page = "before\n<!-- scoreboard -->\nold\n<!-- end of scoreboard -->\nafter\n";
  const auto changed = with_scoreboard(page, "page.md", "new\n");
  ASSERT_TRUE(changed);
  EXPECT_EQ(*changed, "before\n<!-- scoreboard -->\n\nnew\n\n<!-- end of scoreboard -->\nafter\n");
  EXPECT_EQ(*with_scoreboard(*changed, "page.md", "new\n"), *changed);
  const auto unmarked = with_scoreboard("before\n", "page.md", "new\n");
  ASSERT_FALSE(unmarked);
  EXPECT_EQ(unmarked.error().where, "page.md");
}

TEST(Html, ShowsEveryTimedRowOnceAsADotAndEscapesNames) {
  const std::vector<RowVerdict> verdicts{predicted(1.1, 1), predicted(0.8, 1), unexpressed("why")};
  const std::string page = validation_html(verdicts, summaries(verdicts), 1);
  EXPECT_EQ(count_of(page, "<circle "), 2);
  EXPECT_EQ(count_of(page, "class=\"bar\""), 1);  // one worst row
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find("a &lt;b&gt; &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_NE(page.find("why"), std::string::npos);
  for (const char* tag : {"table", "tr", "td", "svg", "figure", "body", "html"}) {
    const std::string name(tag);
    EXPECT_EQ(count_of(page, "<" + name + ">") + count_of(page, "<" + name + " "),
              count_of(page, "</" + name + ">"))
        << name;
  }
}

// A dot for 1 s measured and predicted lies on the diagonal: as far from the left as from the top
// of the frame's lower left corner, so that its two coordinates sum to both margins and the width.
TEST(ScatterPlot, EqualTimesLieOnTheDiagonal) {
  const std::string plot = scatter_plot({{"row", {1, 1}}});
  const std::size_t x = plot.find("cx=\"") + 4, y = plot.find("cy=\"") + 4;
  EXPECT_NEAR(std::stod(plot.substr(x)) + std::stod(plot.substr(y)), 2 * 52 + 280, 0.2);
  EXPECT_EQ(scatter_plot({}), "");
}

}  // namespace
}  // namespace quintet
