#include "sim/base/report.h"

#include <algorithm>

#include "sim/base/html_page.h"

namespace quintet {

namespace {

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
