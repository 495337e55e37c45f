#include "sim/picture/page.h"

namespace quintet {

namespace {

constexpr const char* page_style =
    ":root{color-scheme:light dark}"
    "body{font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "margin:0 auto;padding:1rem;max-width:72rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.5rem;line-height:1.2;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2em 0 "
    ".4em}"
    "p{max-width:70ch;overflow-wrap:anywhere}"
    "dl{display:grid;grid-template-columns:max-content minmax(0,70ch);gap:.2em 1em;margin:0 0 "
    "1.5em}"
    "dt{color:#555}dd{margin:0;overflow-wrap:anywhere}"
    ".pictures{display:grid;gap:1.5rem 2.5rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));align-items:start}"
    "figure{margin:0}figure h2{margin:0 0 "
    ".5em}figcaption{font-size:.85rem;color:#555;margin-top:.3em}"
    ".picture{display:block;width:100%;max-width:36rem;height:auto}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem}"
    "td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right;vertical-align:top;"
    "white-space:pre}td:first-child,th:first-child{text-align:left;padding-left:0}"
    "@media screen and (prefers-color-scheme:dark){body{color:#ececec;background:#161616}"
    "dt,figcaption{color:#b5b5b5}td,th{border-color:#3d3d3d}}"
    "@media print{body{font-size:11pt;max-width:none;padding:0}figure,tr{break-inside:avoid}"
    ".pictures{grid-template-columns:1fr 1fr}h2{break-after:avoid}td,th{white-space:pre-wrap}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

std::string figure(const Picture& picture) {
  std::string notes;
  for (const std::string& note : picture.notes) notes += (notes.empty() ? "" : " ") + note;
  return "<figure><h2>" + xml_text(picture.title) + "</h2>\n" + inline_svg(picture) +
         (notes.empty() ? "" : "<figcaption>" + xml_text(notes, 2000) + "</figcaption>\n") +
         "</figure>\n";
}

std::string list_of(const PageFacts& facts) {
  std::string html = "<h2>" + xml_text(facts.title) + "</h2>\n<dl>\n";
  for (const auto& [key, value] : facts.rows)
    html += "<dt>" + xml_text(key) + "</dt><dd>" + xml_text(value, 2000) + "</dd>\n";
  return html + "</dl>\n";
}

std::string section(const ReportSection& section) {
  std::string html = section.title.empty() ? "" : "<h2>" + xml_text(section.title) + "</h2>\n";
  for (const std::string& sentence : section.sentences)
    html += "<p>" + xml_text(sentence, 2000) + "</p>\n";
  html += section.drawing;
  if (section.table.empty()) return html;
  return html + "<div class=\"scroll\">" + html_table(section.table, section.cells) + "</div>\n";
}

}  // namespace

std::string page_html(const Page& page) {
  const std::string title = xml_text(page.title);
  std::string body = "<h1>" + title + "</h1>\n";
  for (const std::string& line : page.lines) body += "<p>" + xml_text(line, 2000) + "</p>\n";
  for (const PageFacts& facts : page.facts) body += list_of(facts);
  if (!page.pictures.empty()) body += "<div class=\"pictures\">\n";
  for (const Picture& picture : page.pictures) body += figure(picture);
  if (!page.pictures.empty()) body += "</div>\n";
  for (const ReportSection& each : page.tables) body += section(each);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>" +
         title + "</title>\n<style>" + page_style + picture_style() + "</style></head>\n<body>\n" +
         body + "</body></html>\n";
}

}  // namespace quintet
