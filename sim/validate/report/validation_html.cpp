#include <algorithm>
#include <utility>

#include "sim/base/html_page.h"
#include "sim/validate/report/scatter_plot.h"
#include "sim/validate/report/validation_report.h"

namespace quintet {

namespace {

std::string percent(double share) {
  return fixed(100 * share, 1);
}

std::string cross_validated(const std::optional<CrossValidated>& made) {
  if (!made) return "-";
  if (made->parameters == 0 || made->in_sample <= 0) return percent(made->left_out);
  return percent(made->left_out) + " (" + fixed(made->left_out / made->in_sample, 2) + "x)";
}

// The source's name leads to its plot.
std::string summary_line(const SourceSummary& line, std::size_t number) {
  const ErrorSummary& time = line.time;
  const bool timed = time.count > 0;
  const auto known = [](bool is, const std::string& text) { return html_cell(is ? text : "-"); };
  const std::string name = html_escaped(line.title());
  const bool plotted = timed && line.source != "all";
  return "<tr><td>" +
         (plotted ? "<a href=\"#plot" + std::to_string(number) + "\">" + name + "</a>" : name) +
         "</td>" + html_cell(std::to_string(line.rows)) +
         html_cell(std::to_string(line.expressed)) + html_cell(std::to_string(time.count)) +
         known(timed, percent(time.mean)) + known(timed, percent(time.median)) +
         known(timed, percent(time.p90)) + known(timed, percent(time.largest)) +
         known(timed, signed_fixed(100 * time.bias, 1)) +
         known(line.tau.has_value(), fixed(line.tau.value_or(0), 2)) +
         known(line.regret.has_value(), fixed(100 * (line.regret.value_or(1) - 1), 1)) +
         html_cell(std::to_string(line.free_parameters)) +
         html_cell(std::to_string(line.chosen_here)) +
         html_cell(cross_validated(line.cross_validated)) + "</tr>\n";
}

std::string summary_table(const std::vector<SourceSummary>& summary) {
  std::string html = html_table_begin({"source, stack", "rows", "expressed", "timed", "MAPE %",
                                       "median %", "p90 %", "max %", "bias %", "Kendall tau",
                                       "regret %", "free", "chosen here", "cross-validated %"});
  for (std::size_t i = 0; i < summary.size(); ++i) html += summary_line(summary[i], i);
  return html + html_table_end() +
         "<p>MAPE, median, p90, max: of |predicted / measured - 1|. Bias: mean of predicted / "
         "measured - 1. Kendall tau: order of the rows of one model on one number of GPUs, mean "
         "over groups. Regret: how much longer than the fastest of the published plans the one "
         "takes that would be picked, mean over groups of equal work. Free: parameters that were "
         "chosen on published steps, and how many of them on this source. Cross-validated: MAPE "
         "when each model is predicted with parameters estimated on the others, and its ratio to "
         "that with parameters estimated on all.</p>\n";
}

std::string memory_table(const std::vector<SourceSummary>& summary) {
  std::string html =
      html_table_begin({"source, stack", "ran, predicted to fit", "ran, predicted not to",
                        "out of memory, predicted so", "out of memory, predicted to fit", "right %",
                        "peaks known", "MAPE of peaks %"});
  for (const SourceSummary& line : summary) {
    const MemoryConfusion& verdicts = line.verdicts;
    if (count(verdicts) == 0) continue;
    html += "<tr>" + html_cell(line.title()) + html_cell(std::to_string(verdicts.ran_and_fits)) +
            html_cell(std::to_string(verdicts.ran_but_does_not_fit)) +
            html_cell(std::to_string(verdicts.failed_and_does_not_fit)) +
            html_cell(std::to_string(verdicts.failed_but_fits)) +
            html_cell(percent(share_right(verdicts))) +
            html_cell(std::to_string(line.memory.count)) +
            html_cell(line.memory.count > 0 ? percent(line.memory.mean) : "-") + "</tr>\n";
  }
  return html + html_table_end();
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
    html += "<figure id=\"plot" + std::to_string(i) + "\">" + scatter_plot(points) +
            "<figcaption>" + html_escaped(summary[i].title()) + ": " +
            std::to_string(points.size()) + " rows, MAPE " + percent(summary[i].time.mean) +
            " %</figcaption></figure>\n";
  }
  return html;
}

struct Colour {
  const char* part;
  const char* colour;
};
constexpr Colour colours[]{{"compute", "#4477aa"},
                           {"exposed communication", "#ee6677"},
                           {"pipeline bubble", "#ccbb44"},
                           {"waiting for peers", "#aa3377"},
                           {"copy", "#66ccee"},
                           {"host", "#228833"},
                           {"idle", "#bbbbbb"}};

// One bar per row, as long as its step is predicted to be against the longest of the two times; a
// line marks what was measured.
std::string bar(const StepPrediction& prediction, const Pair& pair) {
  constexpr double width = 260;
  const double scale = width / std::max({pair.predicted, pair.measured, 1e-12});
  std::string html = "<svg class=\"bar\" width=\"264\" height=\"18\">";
  double from = 0;
  for (const StepPart& part : prediction.parts) {
    const double length = std::max(0.0, part.time.value * scale);
    if (part.level != 0) continue;
    for (const Colour& colour : colours)
      if (part.name == colour.part && length > 0)
        html += "<rect x=\"" + fixed(from, 1) + "\" y=\"3\" width=\"" + fixed(length, 1) +
                "\" height=\"12\" fill=\"" + colour.colour + "\"/>";
    from += length;
  }
  return html + "<path d=\"M" + fixed(pair.measured * scale, 1) +
         " 0V18\" stroke=\"#000\" stroke-width=\"2\"/></svg>";
}

std::string legend() {
  std::string html = "<p>The bar is the predicted step, the line across it the measured one.";
  for (const Colour& colour : colours)
    html += " <span class=\"key\" style=\"background:" + std::string(colour.colour) + "\"></span>" +
            colour.part;
  return html + "</p>\n";
}

std::string worst_table(const std::vector<RowVerdict>& verdicts, int worst) {
  std::string html =
      legend() + html_table_begin({"row", "stack", "measured, s", "predicted, s", "off %",
                                   "predicted against measured", "of the predicted step",
                                   "assumed, for the row does not say"});
  for (const RowVerdict* verdict : worst_rows(verdicts, worst)) {
    const Pair pair = *time_pair(*verdict);
    std::string remarks;
    for (const std::string& remark : verdict->remarks)
      remarks += (remarks.empty() ? "" : "; ") + remark;
    html += "<tr>" + html_cell(verdict->row.id + " " + verdict->row.model) +
            html_cell(verdict->stack) + html_cell(fixed(pair.measured, 4)) +
            html_cell(fixed(pair.predicted, 4)) +
            html_cell(signed_fixed(100 * relative_error(pair), 1)) + "<td>" +
            bar(*verdict->prediction, pair) + "</td><td class=\"text\">" +
            html_escaped(breakdown_text(*verdict->prediction)) + "</td><td class=\"text\">" +
            html_escaped(remarks) + "</td></tr>\n";
  }
  return html + html_table_end();
}

std::string reasons_table(const std::vector<RowVerdict>& verdicts) {
  const auto reasons = reasons_of(verdicts);
  if (reasons.empty()) return {};
  std::string html = "<h2>Not expressed</h2>\n" + html_table_begin({"why", "rows"});
  for (const auto& [reason, number] : reasons)
    html += "<tr>" + html_cell(reason) + html_cell(std::to_string(number)) + "</tr>\n";
  return html + html_table_end();
}

const char* const style =
    "td.text{text-align:left}"
    "figure{display:inline-block;margin:1em;vertical-align:top}figcaption{max-width:350px}"
    "svg{font:11px sans-serif}circle{fill:#2266aa;fill-opacity:.5}circle:hover{fill:#c00}"
    ".band{fill:#ccddaa;fill-opacity:.5}.grid{stroke:#eee}.frame{stroke:#999;fill:none}"
    ".key{display:inline-block;width:10px;height:10px;margin:0 4px 0 12px}";

}  // namespace

std::string validation_html(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst) {
  return html_page(
      "Quintet against published measurements", style,
      "<p>Training steps as their authors published them, predicted from model, plan and "
      "machine alone.</p>\n<h2>Step time</h2>\n" +
          summary_table(summary) + "<h2>Memory</h2>\n" + memory_table(summary) +
          "<h2>Worst rows</h2>\n" + worst_table(verdicts, worst) +
          "<h2>Predicted against measured</h2>\n<p>Inside the band: off by 10 % at most.</p>\n" +
          scatters(verdicts, summary) + reasons_table(verdicts));
}

}  // namespace quintet
