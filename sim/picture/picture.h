// A drawing as SVG, for a page or for a file of its own: no script, nothing from elsewhere, light
// or dark as the reader's screen is, legible when it is 340 pixels wide.
#pragma once

#include <string>
#include <vector>

namespace quintet {

struct Picture {
  std::string name;                // of its file, and before its ids: "steps"; letters, digits, '-'
  std::string title;               // text
  std::string description;         // text: what it shows, for who cannot see it
  std::vector<std::string> notes;  // a sentence each: how to read it, what was left out
  double height = 0;               // its width is picture_width
  std::string body;                // SVG elements
};

// Units of all drawings; letters are 12 high, so that on a phone (343 pixels between margins) they
// are 9 pixels.
inline constexpr double picture_width = 440;

// Text as XML writes it: escaped, without what XML cannot hold, at most `longest` bytes.
std::string xml_text(const std::string& text, std::size_t longest = 400);

// CSS of what canvas.h draws, light and dark; for a page's head.
std::string picture_style();
// An element; the page has the style.
std::string inline_svg(const Picture& picture);
// A document with the style in it.
std::string svg_file(const Picture& picture);

}  // namespace quintet
