#include "sim/picture/picture.h"

#include <fmt/format.h>

#include <string_view>

#include "sim/base/report.h"
#include "sim/base/shown_text.h"

namespace quintet {

namespace {

// No variables: viewers of SVG files (librsvg, Inkscape) know none.
constexpr const char* drawn_style =
    "svg.picture{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
    ".picture text{font-size:12px;fill:#1a1a1a}.picture .soft{fill:#555}"
    ".picture .strong{font-weight:600}"
    ".picture .on{fill:#000;stroke:#fff;stroke-width:3px;paint-order:stroke;"
    "stroke-linejoin:round}"
    ".picture .edge{stroke:#1a1a1a;stroke-width:.5}.picture .frame{fill:none;stroke:#767676}"
    ".picture .grid{stroke:#cfcfcf;fill:none}.picture .axis{stroke:#555;fill:none}"
    ".picture .whisker{stroke:#1a1a1a;stroke-width:1.6;fill:none}"
    ".picture .limit{stroke:#1a1a1a;stroke-width:2;stroke-dasharray:5 3;fill:none}"
    ".picture .dot{fill:#1a1a1a}.picture .ring{fill:#fff;stroke:#1a1a1a;stroke-width:1.6}"
    ".picture .empty{fill:#ededed}.picture .texture{stroke:#000;stroke-opacity:.5;fill:none}"
    ".picture .curve{fill:none;stroke-width:2}.picture .mark{stroke-width:2}"
    ".picture .shaded{fill:#000}.picture .outline{fill:none;stroke:#1a1a1a;stroke-width:3}"
    ".picture .speck{fill:#000;fill-opacity:.5}.picture .faint{stroke:#9a9a9a;fill:none}"
    "@media screen and (prefers-color-scheme:dark){"
    ".picture text{fill:#ececec}.picture .soft{fill:#b5b5b5}"
    ".picture .on{fill:#000;stroke:#fff}.picture .shaded{fill:#000}"
    ".picture .outline{stroke:#f0e442}"
    ".picture .edge{stroke:#0e0e0e}.picture .frame{stroke:#9a9a9a}"
    ".picture .grid{stroke:#3d3d3d}.picture .axis{stroke:#b5b5b5}"
    ".picture .whisker{stroke:#ececec}.picture .limit{stroke:#ececec}"
    ".picture .dot{fill:#ececec}.picture .ring{fill:#161616;stroke:#ececec}"
    ".picture .empty{fill:#2b2b2b}.picture .faint{stroke:#6a6a6a}}";

// How long a character is that begins so; 0: none does.
std::size_t bytes_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

bool is_character(std::string_view bytes) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  for (std::size_t at = 1; at < bytes.size(); ++at)
    if ((byte(at) & 0xC0U) != 0x80U) return false;
  // Longer than need be, halves of UTF-16, beyond the last, and two that XML excludes.
  if (bytes.size() == 3 && byte(0) == 0xE0 && byte(1) < 0xA0) return false;
  if (bytes.size() == 3 && byte(0) == 0xED && byte(1) >= 0xA0) return false;
  if (bytes.size() == 3 && byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return false;
  if (bytes.size() == 4 && byte(0) == 0xF0 && byte(1) < 0x90) return false;
  return !(bytes.size() == 4 && byte(0) == 0xF4 && byte(1) >= 0x90);
}

// With U+FFFD for each byte that is part of no character: names of files may be any bytes.
std::string as_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = bytes_of(static_cast<unsigned char>(text.front()));
    const bool fine = length > 0 && length <= text.size() && is_character(text.substr(0, length));
    valid += fine ? std::string(text.substr(0, length)) : "\xEF\xBF\xBD";
    text.remove_prefix(fine ? length : 1);
  }
  return valid;
}

std::string element(const Picture& picture, const std::string& attributes,
                    const std::string& inside) {
  return fmt::format(
      "<svg {0} class=\"picture\" viewBox=\"0 0 {1:g} {2:g}\" role=\"img\" "
      "aria-labelledby=\"{3}-title {3}-text\">\n<title id=\"{3}-title\">{4}</title>\n"
      "<desc id=\"{3}-text\">{5}</desc>\n{6}{7}</svg>\n",
      attributes, picture_width, picture.height, picture.name, xml_text(picture.title),
      xml_text(picture.description, 2000), inside, picture.body);
}

}  // namespace

std::string xml_text(const std::string& text, std::size_t longest) {
  return html_escaped(as_utf8(shown(text, longest)));
}

std::string picture_style() {
  return drawn_style;
}

std::string inline_svg(const Picture& picture) {
  return element(picture, "xmlns=\"http://www.w3.org/2000/svg\"", "");
}

std::string svg_file(const Picture& picture) {
  const std::string size =
      fmt::format("xmlns=\"http://www.w3.org/2000/svg\" width=\"{:g}\" height=\"{:g}\"",
                  2 * picture_width, 2 * picture.height);
  const std::string background =
      "<style>" + std::string(drawn_style) +
      ".paper{fill:#fff}@media screen and (prefers-color-scheme:dark){.paper{fill:#161616}}"
      "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  return element(picture, size, background);
}

}  // namespace quintet
