#include "sim/validate/report/validation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/base/report.h"
#include "sim/validate/report/drawings.h"
#include "sim/validate/report/validation_tables.h"

namespace quintet {

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The source's name leads to its plot.
ReportSection time_section(const std::vector<SourceSummary>& summary) {
  ReportSection section{"Step time", {}, time_table(summary, Shown::page)};
  for (std::size_t line = 0; line < summary.size(); ++line)
    if (summary[line].time.count > 0 && summary[line].source != "all")
      section.cells[{line + 1, 0}] = fmt::format(R"(<td><a href="#plot{}">{}</a></td>)", line,
                                                 html_escaped(summary[line].title()));
  return section;
}

ReportSection worst_section(const std::vector<const RowVerdict*>& rows) {
  ReportSection section{"Worst rows", {}, worst_table(rows, Shown::page)};
  section.drawing = step_bar_legend();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    section.cells[{row + 1, bar_column}] =
        "<td>" + step_bar(*rows[row]->prediction, *time_pair(*rows[row])) + "</td>";
    for (std::size_t column = bar_column + 1; column <= bar_column + columns_of_text; ++column)
      section.cells[{row + 1, column}] =
          "<td class=\"text\">" + html_escaped(section.table[row + 1][column]) + "</td>";
  }
  return section;
}

std::string scatters(const std::vector<RowVerdict>& verdicts,
                     const std::vector<SourceSummary>& summary) {
  std::string html;
  for (std::size_t i = 0; i + 1 < summary.size(); ++i) {
    std::vector<PlotPoint> points;
    for (const RowVerdict* verdict : verdicts_of(verdicts, summary[i]))
      if (const auto pair = time_pair(*verdict); pair && pair->predicted > 0)
        points.push_back({verdict->row.id + " " + verdict->row.model, *pair});
    if (points.empty()) continue;
    html += fmt::format(
        R"(<figure id="plot{}">{}<figcaption>{}: {} rows, MAPE {}</figcaption></figure>)"
        "\n",
        i, scatter_plot(points), html_escaped(summary[i].title()), points.size(),
        percent(summary[i].time.mean));
  }
  return html;
}

constexpr const char* style =
    "td.text{text-align:left}"
    "figure{display:inline-block;margin:1em;vertical-align:top}figcaption{max-width:350px}"
    "svg{font:11px sans-serif}circle{fill:#2266aa;fill-opacity:.5}circle:hover{fill:#c00}"
    ".band{fill:#ccddaa;fill-opacity:.5}.grid{stroke:#eee}.frame{stroke:#999;fill:none}"
    ".key{display:inline-block;width:10px;height:10px;margin:0 4px 0 12px}";

constexpr const char* explanation =
    "MAPE, median, p90, max: of |predicted / measured - 1|. Bias: mean of predicted / "
    "measured - 1. Kendall tau: order of the rows of one model on one number of GPUs, mean "
    "over groups. Regret: how much longer than the fastest of the published plans the one "
    "takes that would be picked, mean over groups of equal work. Free: parameters that were "
    "chosen on published steps, and how many of them on this source. Cross-validated: MAPE "
    "when each model is predicted with parameters estimated on the others, and its ratio to "
    "that with parameters estimated on all.";

// The same for the columns of a terminal.
ReportSection terminal_legend() {
  return {
      "",
      {"MAPE, median, p90, max: mean, median, nine of ten and greatest of |predicted / measured - "
       "1|",
       "bias: mean of predicted / measured - 1; tau: Kendall's, 1 where plans come in the right "
       "order",
       "regret, max: mean and largest over sheets of (measured step of the plan that would be "
       "picked "
       "/ of the fastest published one) - 1, %; failed: it ran out of memory (--regret: each "
       "sheet)",
       "free: parameters that were chosen on published steps; here: those chosen on this source",
       "oom: ran out of memory when it was published; not: predicted not to fit"}};
}

}  // namespace

std::vector<std::pair<std::string, int>> reasons_of(const std::vector<RowVerdict>& verdicts) {
  std::map<std::string, int> counts;
  for (const RowVerdict& verdict : verdicts)
    if (!verdict.prediction) ++counts[first_line(verdict.reason)];
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  return sorted;
}

std::vector<const RowVerdict*> worst_rows(const std::vector<RowVerdict>& verdicts, int most) {
  std::vector<const RowVerdict*> rows;
  for (const RowVerdict& verdict : verdicts)
    if (time_pair(verdict)) rows.push_back(&verdict);
  std::stable_sort(rows.begin(), rows.end(), [](const RowVerdict* left, const RowVerdict* right) {
    return std::abs(relative_error(*time_pair(*left))) >
           std::abs(relative_error(*time_pair(*right)));
  });
  if (rows.size() > static_cast<std::size_t>(most)) rows.resize(static_cast<std::size_t>(most));
  return rows;
}

std::string breakdown_text(const StepPrediction& prediction) {
  const double step = std::max(prediction.step.value, 1e-12);
  std::string text, inner;
  bool inside = false;  // a part whose own parts are shown
  const auto close = [&] {
    if (!inner.empty()) text += " (" + inner + ")";
    inner.clear();
  };
  for (const StepPart& part : prediction.parts) {
    const double share = part.time.value / step;
    const bool shown = share >= 0.005;
    if (part.level == 0) {
      close();
      inside = shown && part.name == "exposed communication";
    }
    std::string& into = part.level == 0 ? text : inner;
    if (!shown || (part.level > 0 && !inside)) continue;
    into += (into.empty() ? "" : ", ") + part.name + " " + percent(share, 0);
  }
  close();
  return text;
}

std::string validation_text(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst) {
  std::vector<ReportSection> sections{{"", {}, time_table(summary, Shown::terminal)},
                                      {"", {}, memory_table(summary, Shown::terminal)},
                                      terminal_legend()};
  if (!reasons_of(verdicts).empty())
    sections.push_back({"", {}, reasons_table(verdicts, Shown::terminal)});
  if (worst > 0)
    sections.push_back({"", {}, worst_table(worst_rows(verdicts, worst), Shown::terminal)});
  return report_text(sections);
}

std::string validation_html(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst) {
  std::vector<ReportSection> sections{
      {"",
       {"Training steps as their authors published them, predicted from model, plan and machine "
        "alone."}},
      time_section(summary),
      {"", {explanation}},
      {"Memory", {}, memory_table(summary, Shown::page)},
      worst_section(worst_rows(verdicts, worst)),
      {"Predicted against measured",
       {"Inside the band: off by 10 % at most."},
       {},
       scatters(verdicts, summary)}};
  if (!reasons_of(verdicts).empty())
    sections.push_back({"Not expressed", {}, reasons_table(verdicts, Shown::page)});
  return html_page("Quintet against published measurements", style, report_html(sections));
}

std::string validation_markdown(const std::vector<SourceSummary>& summary,
                                const std::vector<ShelfParameter>& free) {
  return report_markdown(
      {{"", {}, time_table(summary, Shown::scoreboard)}, {"", {}, parameter_table(free)}});
}

Result<std::string> with_scoreboard(const std::string& page, const std::string& where,
                                    const std::string& scoreboard) {
  const std::size_t begin = page.find(scoreboard_begin);
  const std::size_t end = page.find(scoreboard_end);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return Error{where,
                 fmt::format("expected the lines {} and {}, between which the scoreboard goes",
                             scoreboard_begin, scoreboard_end)};
  const std::size_t from = begin + std::string(scoreboard_begin).size();
  return page.substr(0, from) + "\n\n" + scoreboard + "\n" + page.substr(end);
}

}  // namespace quintet
