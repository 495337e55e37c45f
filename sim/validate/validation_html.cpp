#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/timeline/text_table.h"
#include "sim/validate/validation_report.h"

namespace quintet {

namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  return safe;
}

std::string cell(const std::string& text) {
  return "<td>" + escaped(text) + "</td>";
}

std::string name_of(const SourceSummary& line) {
  return line.source + (line.stack.empty() ? "" : ", " + line.stack);
}

// Both axes logarithmic, over the same decades.
class Scatter {
 public:
  explicit Scatter(const std::vector<std::pair<std::string, Pair>>& points) {
    for (const auto& [name, pair] : points)
      for (const double value : {pair.predicted, pair.measured}) {
        low_ = std::min(low_, std::floor(std::log10(value) * 2) / 2);
        high_ = std::max(high_, std::ceil(std::log10(value) * 2) / 2);
      }
    if (high_ <= low_) high_ = low_ + 0.5;
    for (const auto& [name, pair] : points) dots_ += dot(name, pair);
  }

  std::string svg() const {
    const std::string from = fixed(margin, 0), to = fixed(margin + size, 0);
    return "<svg width=\"360\" height=\"360\" viewBox=\"0 0 360 360\">"
           "<rect x=\"" +
           from + "\" y=\"" + from + "\" width=\"" + fixed(size, 0) + "\" height=\"" +
           fixed(size, 0) +
           "\" fill=\"none\" stroke=\"#999\"/>"
           "<line x1=\"" +
           from + "\" y1=\"" + to + "\" x2=\"" + to + "\" y2=\"" + from + "\" stroke=\"#999\"/>" +
           dots_ + ticks() +
           "<text x=\"190\" y=\"352\" text-anchor=\"middle\">measured, s</text>"
           "<text x=\"12\" y=\"190\" text-anchor=\"middle\" transform=\"rotate(-90 12 190)\">"
           "predicted, s</text></svg>";
  }

 private:
  static constexpr double margin = 40, size = 290;

  double along(double value) const {
    return margin + size * (std::log10(value) - low_) / (high_ - low_);
  }
  static double up(double position) { return 2 * margin + size - position; }

  std::string dot(const std::string& name, const Pair& pair) const {
    return "<circle cx=\"" + fixed(along(pair.measured), 1) + "\" cy=\"" +
           fixed(up(along(pair.predicted)), 1) +
           "\" r=\"3\" fill=\"#2266aa\" fill-opacity=\"0.5\"><title>" + escaped(name) + ": " +
           fixed(pair.measured, 4) + " s measured, " + fixed(pair.predicted, 4) +
           " s predicted</title></circle>";
  }

  std::string ticks() const {
    std::string text;
    for (double decade = std::ceil(low_); decade <= high_; ++decade) {
      const double at = along(std::pow(10, decade));
      const std::string label = fixed(std::pow(10, decade), decade < 0 ? int(-decade) : 0);
      text += "<text x=\"" + fixed(at, 0) + "\" y=\"" + fixed(margin + size + 14, 0) +
              "\" text-anchor=\"middle\">" + label + "</text><text x=\"" + fixed(margin - 4, 0) +
              "\" y=\"" + fixed(up(at) + 4, 0) + "\" text-anchor=\"end\">" + label + "</text>";
    }
    return text;
  }

  double low_ = 1e9, high_ = -1e9;
  std::string dots_;
};

std::string scatters(const std::vector<RowVerdict>& verdicts,
                     const std::vector<SourceSummary>& summary) {
  std::string html;
  for (const SourceSummary& line : summary) {
    std::vector<std::pair<std::string, Pair>> points;
    for (const RowVerdict& verdict : verdicts) {
      const bool member = std::filesystem::path(verdict.row.file).stem() == line.source &&
                          verdict.stack == line.stack;
      const auto pair = time_pair(verdict);
      if (member && pair && pair->predicted > 0)
        points.push_back({verdict.row.id + " " + verdict.row.model, *pair});
    }
    if (points.empty()) continue;
    html += "<figure>" + Scatter(points).svg() + "<figcaption>" + escaped(name_of(line)) + ": " +
            std::to_string(points.size()) + " rows, MAPE " + fixed(100 * line.time.mean, 1) +
            " %</figcaption></figure>\n";
  }
  return html;
}

std::string summary_table(const std::vector<SourceSummary>& summary) {
  std::string html =
      "<table><tr><th>source, stack<th>rows<th>expressed<th>timed<th>MAPE %<th>median<th>p90"
      "<th>max<th>bias<th>tau<th>regret<th>memory right %</tr>\n";
  for (const SourceSummary& line : summary)
    html += "<tr>" + cell(name_of(line)) + cell(std::to_string(line.rows)) +
            cell(std::to_string(line.expressed)) + cell(std::to_string(line.time.count)) +
            cell(fixed(100 * line.time.mean, 1)) + cell(fixed(100 * line.time.median, 1)) +
            cell(fixed(100 * line.time.p90, 1)) + cell(fixed(100 * line.time.largest, 1)) +
            cell(signed_fixed(100 * line.time.bias, 1)) +
            cell(line.tau ? fixed(*line.tau, 2) : "-") +
            cell(line.regret ? fixed(*line.regret, 3) : "-") +
            cell(count(line.verdicts) > 0 ? fixed(100 * share_right(line.verdicts), 1) : "-") +
            "</tr>\n";
  return html + "</table>\n";
}

std::string worst_table(const std::vector<RowVerdict>& verdicts, int worst) {
  std::string html =
      "<table><tr><th>row<th>stack<th>measured, s<th>predicted, s<th>off %<th>of the step"
      "<th>assumed</tr>\n";
  for (const RowVerdict* verdict : worst_rows(verdicts, worst)) {
    const Pair pair = *time_pair(*verdict);
    std::string remarks;
    for (const std::string& remark : verdict->remarks)
      remarks += (remarks.empty() ? "" : "; ") + remark;
    html += "<tr>" + cell(verdict->row.id + " " + verdict->row.model) + cell(verdict->stack) +
            cell(fixed(pair.measured, 4)) + cell(fixed(pair.predicted, 4)) +
            cell(signed_fixed(100 * relative_error(pair), 1)) +
            cell(breakdown_text(*verdict->prediction)) + cell(remarks) + "</tr>\n";
  }
  return html + "</table>\n";
}

}  // namespace

std::string validation_html(const std::vector<RowVerdict>& verdicts,
                            const std::vector<SourceSummary>& summary, int worst) {
  return "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Quintet against "
         "published measurements</title>\n<style>body{font:14px sans-serif;margin:2em}"
         "table{border-collapse:collapse}td,th{padding:2px 8px;border-bottom:1px solid #ddd;"
         "text-align:right}td:first-child,th:first-child{text-align:left}figure{display:"
         "inline-block;margin:1em}svg{font:11px sans-serif}</style>\n"
         "<h1>Quintet against published measurements</h1>\n" +
         summary_table(summary) + "<h2>Step times</h2>\n" + scatters(verdicts, summary) +
         "<h2>Worst rows</h2>\n" + worst_table(verdicts, worst) + "</html>\n";
}

}  // namespace quintet
