#include "sim/base/report.h"

#include <algorithm>

namespace quintet {
namespace {

constexpr const char* common_style =
    "body{font:14px sans-serif;margin:2em;color:#222}table{border-collapse:collapse}"
    "td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "thead th{position:sticky;top:0;background:#fff}tbody tr:hover{background:#f4f4f4}"
    "td:first-child,th:first-child{text-align:left}p{max-width:70em;color:#555}";

std::string text_of(const ReportSection& section) {
  std::string text;
  if (!section.title.empty()) text += section.title + "\n";
  for (const std::string& sentence : section.sentences) text += sentence + "\n";
  return text + aligned(section.table);
}

std::string html_of(const ReportSection& section) {
  std::string html;
  if (!section.title.empty()) html += "<h2>" + html_escaped(section.title) + "</h2>\n";
  for (const std::string& sentence : section.sentences)
    html += "<p>" + html_escaped(sentence) + "</p>\n";
  return html + section.drawing + html_table(section.table, section.cells);
}

std::string markdown_line(const TextRow& cells) {
  std::string line = "|";
  for (std::string cell : cells) {
    std::replace(cell.begin(), cell.end(), '|', '/');
    line += " " + cell + " |";
  }
  return line + "\n";
}

std::string markdown_of(const ReportSection& section) {
  std::string text;
  if (!section.title.empty()) text += "## " + section.title + "\n\n";
  for (const std::string& sentence : section.sentences) text += sentence + "\n";
  for (std::size_t row = 0; row < section.table.size(); ++row) {
    text += markdown_line(section.table[row]);
    if (row > 0) continue;
    text += "| --- |";
    for (std::size_t column = 1; column < section.table[row].size(); ++column) text += " --: |";
    text += "\n";
  }
  return text;
}

template <class Write>
std::string joined(const std::vector<ReportSection>& sections, const char* between, Write write) {
  std::string all;
  for (const ReportSection& section : sections)
    all += (all.empty() ? "" : between) + write(section);
  return all;
}

}  // namespace

std::string html_escaped(const std::string& text) {
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

std::string html_table(const std::vector<TextRow>& rows,
                       const std::map<std::pair<std::size_t, std::size_t>, std::string>& cells) {
  if (rows.empty()) return {};
  std::string html = "<table><thead><tr>";
  for (const std::string& column : rows.front()) html += "<th>" + html_escaped(column) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (std::size_t row = 1; row < rows.size(); ++row) {
    html += "<tr>";
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const auto drawn = cells.find({row, column});
      html +=
          drawn == cells.end() ? "<td>" + html_escaped(rows[row][column]) + "</td>" : drawn->second;
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string html_page(const std::string& title, const std::string& style, const std::string& body) {
  const std::string name = html_escaped(title);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + name +
         "</title><style>" + common_style + style + "</style></head><body>\n<h1>" + name +
         "</h1>\n" + body + "</body></html>\n";
}

std::string report_text(const std::vector<ReportSection>& sections) {
  return joined(sections, "\n", text_of);
}

std::string report_html(const std::vector<ReportSection>& sections) {
  return joined(sections, "", html_of);
}

std::string report_markdown(const std::vector<ReportSection>& sections) {
  return joined(sections, "\n", markdown_of);
}

}  // namespace quintet
