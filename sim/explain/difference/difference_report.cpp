#include "sim/explain/difference/difference_report.h"

#include "sim/base/html_page.h"
#include "sim/explain/difference/difference_sections.h"

namespace quintet {

std::string difference_text(const DifferenceInput& input) {
  std::string text;
  for (const ReportSection& section : difference_sections(input)) {
    if (!text.empty()) text += "\n";
    if (!section.title.empty()) text += section.title + "\n";
    for (const std::string& sentence : section.sentences) text += sentence + "\n";
    text += aligned(section.table);
  }
  return text;
}

std::string difference_html(const DifferenceInput& input) {
  std::string body = "<p>Predicted: " + html_escaped(input.predicted_name) +
                     "<br>Measured: " + html_escaped(input.measured_name) + "</p>\n";
  for (const ReportSection& section : difference_sections(input)) {
    if (!section.title.empty()) body += "<h2>" + html_escaped(section.title) + "</h2>\n";
    for (const std::string& sentence : section.sentences)
      body += "<p>" + html_escaped(sentence) + "</p>\n";
    body += html_table(section.table);
  }
  // Blanks indent the parts of a row, and align shares.
  return html_page("Predicted against measured", "td{white-space:pre}", body);
}

}  // namespace quintet
